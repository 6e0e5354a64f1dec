#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

TEST(BatchNorm, NormalisesByTheBatchAndAveragesItThenByTheAverages) {
  nn::BatchNorm norm(3, 1e-5, 0.1, DType::f64);
  const Tensor x = arbitrary({4, 3, 2, 2}) * 2 + 1;
  const Tensor mean = weft::mean(x, {0, 2, 3}), biased = var(x, {0, 2, 3}, false, 0), unbiased = var(x, {0, 2, 3});
  const auto shaped = [](const Tensor& v) { return reshape(v, {3, 1, 1}); };
  expect_values(norm(x), x.shape(), ((x - shaped(mean)) / sqrt(shaped(biased) + 1e-5)).to_vector<double>(), 1e-10);
  expect_values(norm.running_mean, {3}, (mean * 0.1).to_vector<double>(), 1e-12);
  expect_values(norm.running_var, {3}, (unbiased * 0.1 + 0.9).to_vector<double>(), 1e-12);
  expect_values(norm.num_batches_tracked, {}, {1});

  nn::set_training(norm, false);
  const Tensor expected = (x - shaped(norm.running_mean)) / sqrt(shaped(norm.running_var) + 1e-5);
  expect_values(norm(x), x.shape(), expected.to_vector<double>(), 1e-10);
  expect_values(norm.num_batches_tracked, {}, {1});
  expect_error([&] { norm(ones({4, 2})); },
               "batch_norm: the mean tensor<3xf32> and variance tensor<3xf32> do not fit tensor<4x2xf32>");
  nn::set_training(norm, true);
  expect_error([&] { norm(ones({4, 2})); }, "BatchNorm: tensor<4x2xf32> does not have 3 channels");
  expect_error([&] { norm(ones({1, 3})); },
               "BatchNorm: a channel of tensor<1x3xf32> has 1 values: no variance to train with");
}

struct Net {
  nn::Conv2d conv{1, 4, 3, {.padding = 1}};
  nn::BatchNorm norm{4};
  nn::Linear out{4, 2};
  Tensor operator()(const Tensor& x) const { return out(mean(relu(norm(conv(x))), {2, 3})); }
  void fields(auto&& field) {
    field("conv", conv);
    field("norm", norm);
    field("out", out);
  }
};

TEST(BatchNorm, TrainsWithoutItsStatisticsBeingTrained) {
  manual_seed(1);
  Net net;
  optim::SGD optimizer(net, {.lr = 0.1});
  EXPECT_EQ(optimizer.parameters(), parameters(net));
  EXPECT_EQ(optimizer.parameters().size(), 6u);
  EXPECT_TRUE(state_dict(net).contains("norm.running_var"));
  const Tensor x = randn({8, 1, 5, 5}) * 3 + 2, labels = randint(0, 2, {8});
  const double before = nn::cross_entropy(net(x), labels).item();
  for (int i = 0; i < 20; ++i) {
    optimizer.step(grad(nn::cross_entropy(net(x), labels), optimizer.parameters()));
    sync();
  }
  EXPECT_LT(nn::cross_entropy(net(x), labels).item(), before);
  expect_values(net.norm.num_batches_tracked, {}, {22});
  Net copy;
  load_state_dict(copy, state_dict(net));
  nn::set_training(net, false);
  nn::set_training(copy, false);
  expect_values(copy(x), {8, 2}, net(x).to_vector<double>());
}

TEST(GroupNorm, IsTheFunctionWithItsParameters) {
  nn::GroupNorm norm(2, 4);
  norm.weight = arbitrary({4}).to(DType::f32);
  const Tensor x = arbitrary({3, 4, 5}).to(DType::f32);
  expect_values(norm(x), {3, 4, 5}, group_norm(x, 2, norm.weight, norm.bias).to_vector<double>());
  expect_error([] { nn::GroupNorm(3, 4); }, "GroupNorm: 3 groups do not divide 4 channels");
}

// The expected values are those of torch.nn.InstanceNorm2d(2, affine=True, track_running_stats=True, momentum=0.3).
TEST(InstanceNorm, AveragesTheStatisticsOfSamples) {
  nn::InstanceNorm norm(2, {.affine = true, .track_running_stats = true, .momentum = 0.3, .dtype = DType::f64});
  norm.weight->reset(arbitrary({2}, 1));
  norm.bias->reset(arbitrary({2}, 2));
  const Tensor x = arbitrary({2, 2, 2, 3});
  norm(x);
  expect_values(norm(arbitrary({2, 2, 2, 3}, 4)), {2, 2, 2, 3},
                {0.21561343692,   0.295383651763,  0.409322850555,   0.53730599954,   0.656727487829,  0.746493947131,
                 -0.167472127995, -0.153938815325, -0.0632381373652, 0.0886094824933, 0.274783261698,  0.46239940231,
                 0.464815532043,  0.317279970937,  0.286195836644,   0.377053507001,  0.573804829115,  0.841697697998,
                 0.518218423101,  0.180815176318,  -0.0615902336419, -0.166181839059, -0.114485667747, 0.0843672068466},
                1e-11);
  expect_values(*norm.running_mean, {2}, {0.0426355651788, -0.18165052401}, 1e-11);
  expect_values(*norm.running_var, {2}, {0.632636361189, 0.617979666024}, 1e-11);
  EXPECT_EQ(norm.num_batches_tracked->tensor().item(), 0);
  EXPECT_EQ(state_dict(norm).size(), 5u);
  set_training(norm, false);
  const Tensor y = norm(x);
  expect_values(y, {2, 2, 2, 3}, {0.51459734232,    0.609157055586,    0.682129983867, 0.720626948895,  0.717848247596,
                                  0.674284680833,   -0.00997994202003, 0.109013453076, 0.231171169052,  0.33491653885,
                                  0.401925060534,   0.420361046517,    0.276703076846, 0.340835253369,  0.430774214316,
                                  0.530634078058,   0.622776637994,    0.690926791713, -0.165104492107, -0.153251822701,
                                  -0.0919110247757, 0.00808330179665,  0.129069200299, 0.249676981311},
                1e-11);
  expect_values(
      grad(sum(y * arbitrary(y.shape(), 99)), x), x.shape(),
      {-0.217700566729, -0.237679911572,  -0.215677951529,  -0.155580883742, -0.0680036285394, 0.0315850795625,
       -0.155345438823, -0.24418542813,   -0.289895045841,  -0.284400621007, -0.228672631624,  -0.132554289503,
       0.0105288893674, -0.0879704912736, -0.170931680274,  -0.223701276991, -0.236958609291,  -0.208362040031,
       0.176827069605,  0.0647030964907,  -0.0588493579061, -0.172007274455, -0.254783616963,  -0.292557634147},
      1e-11);
  set_training(norm, true);
  expect_error([&] { norm(ones({2, 2, 1})); },
               "InstanceNorm: a channel of a sample of tensor<2x2x1xf32> has 1 value: no variance to train with");
}

TEST(Convolutions, OfLinesAndTransposed) {
  nn::Conv1d line(4, 6, 3, {.stride = 2, .groups = 2});
  EXPECT_EQ(line(ones({2, 4, 9})).shape(), Shape({2, 6, 4}));
  nn::ConvTranspose2d up(4, 2, 2, {.stride = 2});
  EXPECT_EQ(up(ones({2, 4, 3, 5})).shape(), Shape({2, 2, 6, 10}));
  nn::ConvTranspose2d grouped(4, 6, 3, {.groups = 2}, false);
  EXPECT_EQ(grouped.weight.shape(), Shape({4, 3, 3, 3}));
  expect_error([] { nn::Conv2d(3, 4, 3, {.groups = 2}); }, "Conv2d: 2 groups do not divide 3 channels");
}

TEST(MultiheadAttention, IsItsDefinition) {
  nn::MultiheadAttention attention(6, 2, DType::f64);
  attention.in_proj_bias = arbitrary({18}, 3);
  attention.out_proj.bias->reset(arbitrary({6}, 4));
  const Tensor q = arbitrary({2, 3, 6}), kv = arbitrary({2, 4, 6}, 1);
  const Tensor weight = attention.in_proj_weight, bias = attention.in_proj_bias;
  const auto part = [&](const Tensor& x, std::int64_t i, std::int64_t head) {
    const Tensor y = matmul(x, transpose(narrow(weight, 0, 6 * i, 6))) + narrow(bias, 0, 6 * i, 6);
    return narrow(y, -1, 3 * head, 3);
  };
  const Tensor mask = nn::padding_mask(tensor({4, 2}), 4);
  std::vector<Tensor> heads;
  for (const std::int64_t head : {0, 1}) {
    const Tensor scores = matmul(part(q, 0, head), transpose(part(kv, 1, head))) / std::sqrt(3.0);
    const Tensor seen = where(squeeze(mask, 1), scores, -1e30);
    heads.push_back(matmul(softmax(seen), part(kv, 2, head)));
  }
  const Tensor expected = attention.out_proj(concatenate(heads, -1));
  expect_values(attention(q, kv, kv, {.mask = mask}), {2, 3, 6}, expected.to_vector<double>(), 1e-10);
  expect_error([&] { attention(ones({2, 3, 5})); },
               "MultiheadAttention: expected [batch, time, 6], got tensor<2x3x5xf32>");
}

// Grouped heads are heads whose keys and values are projected by copies of the same rows.
TEST(MultiheadAttention, HeadsShareKeysAndValues) {
  nn::MultiheadAttention grouped(8, 4, DType::f64, 2), full(8, 4, DType::f64);
  EXPECT_EQ(grouped.in_proj_weight.shape(), Shape({16, 8}));
  grouped.in_proj_bias = arbitrary({16}, 3);
  const auto repeated = [](const Tensor& rows) {  // the rows of each of two heads, twice
    const Shape rest = rows.shape();
    Shape heads = {2, 2}, all = {8};
    for (int d = 1; d < rest.rank(); ++d) {
      heads.push_back(rest[d]);
      all.push_back(rest[d]);
    }
    return reshape(repeat(reshape(rows, heads), 2, 0), all);
  };
  const auto expanded = [&](const Tensor& x) {
    const auto parts = split(x, {8, 4, 4});
    return concatenate({parts[0], repeated(parts[1]), repeated(parts[2])});
  };
  full.in_proj_weight = expanded(grouped.in_proj_weight);
  full.in_proj_bias = expanded(grouped.in_proj_bias);
  full.out_proj = grouped.out_proj;
  const Tensor q = arbitrary({2, 3, 8}), kv = arbitrary({2, 4, 8}, 1);
  const Tensor mask = nn::padding_mask(tensor({4, 2}), 4), expected = full(q, kv, kv, {.mask = mask});
  expect_values(grouped(q, kv, kv, {.mask = mask}), {2, 3, 8}, expected.to_vector<double>(), 1e-12);
  expect_gradient(
      [&](const auto& xs) {
        grouped.in_proj_weight = xs[1];
        return grouped(xs[0], {.causal = true});
      },
      {q, grouped.in_proj_weight});
  expect_error([] { nn::MultiheadAttention(8, 4, DType::f32, 3); },
               "MultiheadAttention: 3 heads of keys and values do not divide the 4 heads");
}

}  // namespace
}  // namespace weft
