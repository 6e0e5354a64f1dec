#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_error;
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

}  // namespace
}  // namespace weft
