#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

TEST(Activation, Values) {
  const Doubles at{-2, -0.5, 0, 0.5, 2};
  const Tensor x = from_vector(at, {5});
  const auto expect = [&](const Tensor& y, auto f) {
    Doubles values;
    for (const double v : at) values.push_back(f(v));
    expect_values(y, {5}, values, 1e-12);
  };
  expect(relu(x), [](double v) { return std::max(v, 0.0); });
  expect(leaky_relu(x, 0.1), [](double v) { return v > 0 ? v : 0.1 * v; });
  expect(elu(x, 2), [](double v) { return v > 0 ? v : 2 * std::expm1(v); });
  expect(sigmoid(x), [](double v) { return 1 / (1 + std::exp(-v)); });
  expect(silu(x), [](double v) { return v / (1 + std::exp(-v)); });
  expect(softplus(x), [](double v) { return std::log1p(std::exp(v)); });
  expect(gelu(x), [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2))); });
  expect(gelu(x, true),
         [](double v) { return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))); });
}

// Values and gradients of PyTorch 2.14, at kinks, between them and far from them. PyTorch's softplus is linear above a threshold.
TEST(Activation, EqualsPyTorchAtKinks) {
  const Doubles at{-1000, -4, -3, -1, -0.5, 0, 0.5, 1, 3, 6, 1000};
  struct {
    const char* name;
    Tensor (*function)(const Tensor& x);
    Doubles values, gradients;
  } const cases[] = {
      {"relu6",
       [](const Tensor& x) { return relu6(x); },
       {0, 0, 0, 0, 0, 0, 0.5, 1, 3, 6, 6},
       {0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0}},
      {"celu",
       [](const Tensor& x) { return celu(x, 2); },
       {-2, -1.729329433527, -1.553739679703, -0.7869386805747, -0.4423984338572, 0, 0.5, 1, 3, 6, 1000},
       {7.124576406741e-218, 0.1353352832366, 0.2231301601484, 0.6065306597126, 0.7788007830714, 1, 1, 1, 1, 1, 1}},
      {"celu",
       [](const Tensor& x) { return celu(x); },
       {-1, -0.9816843611113, -0.9502129316321, -0.6321205588286, -0.3934693402874, 0, 0.5, 1, 3, 6, 1000},
       {0, 0.01831563888873, 0.04978706836786, 0.3678794411714, 0.6065306597126, 1, 1, 1, 1, 1, 1}},
      {"selu",
       [](const Tensor& x) { return selu(x); },
       {-1.758099340847, -1.72589862819, -1.670568728767, -1.111330737813, -0.6917581878029, 0, 0.5253504936777,
        1.050700987355, 3.152102962066, 6.304205924133, 1050.700987355},
       {0, 0.03220071265748, 0.08753061208026, 0.6467686030348, 1.066341153045, 1.758099340847, 1.050700987355,
        1.050700987355, 1.050700987355, 1.050700987355, 1.050700987355}},
      {"softplus",
       [](const Tensor& x) { return softplus(x, 2); },
       {0, 0.0001677031864479, 0.001237842568865, 0.06346400552149, 0.1566308437591, 0.34657359028, 0.6566308437591,
        1.063464005521, 3.001237842569, 6.000003072097, 1000},
       {0, 0.0003353501304665, 0.002472623156635, 0.1192029220221, 0.26894142137, 0.5, 0.73105857863, 0.8807970779779,
        0.9975273768434, 0.9999938558254, 1}},
      {"hard_tanh",
       [](const Tensor& x) { return hard_tanh(x); },
       {-1, -1, -1, -1, -0.5, 0, 0.5, 1, 1, 1, 1},
       {0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0}},
      {"hard_tanh",
       [](const Tensor& x) { return hard_tanh(x, -3, 0.5); },
       {-3, -3, -3, -1, -0.5, 0, 0.5, 0.5, 0.5, 0.5, 0.5},
       {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0}},
      {"hard_sigmoid",
       [](const Tensor& x) { return hard_sigmoid(x); },
       {0, 0, 0, 0.3333333333333, 0.4166666666667, 0.5, 0.5833333333333, 0.6666666666667, 1, 1, 1},
       {0, 0, 0, 0.1666666666667, 0.1666666666667, 0.1666666666667, 0.1666666666667, 0.1666666666667, 0, 0, 0}},
      {"hard_swish",
       [](const Tensor& x) { return hard_swish(x); },
       {0, 0, 0, -0.3333333333333, -0.2083333333333, 0, 0.2916666666667, 0.6666666666667, 3, 6, 1000},
       {0, 0, 0, 0.1666666666667, 0.3333333333333, 0.5, 0.6666666666667, 0.8333333333333, 1, 1, 1}},
      {"hard_shrink",
       [](const Tensor& x) { return hard_shrink(x); },
       {-1000, -4, -3, -1, 0, 0, 0, 1, 3, 6, 1000},
       {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1}},
      {"hard_shrink",
       [](const Tensor& x) { return hard_shrink(x, 3); },
       {-1000, -4, 0, 0, 0, 0, 0, 0, 0, 6, 1000},
       {1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1}},
      {"softshrink",
       [](const Tensor& x) { return softshrink(x); },
       {-999.5, -3.5, -2.5, -0.5, 0, 0, 0, 0.5, 2.5, 5.5, 999.5},
       {1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1}},
      {"softshrink",
       [](const Tensor& x) { return softshrink(x, 3); },
       {-997, -1, 0, 0, 0, 0, 0, 0, 0, 3, 997},
       {1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1}},
      {"tanhshrink",
       [](const Tensor& x) { return tanhshrink(x); },
       {-999, -3.000670700261, -2.004945246313, -0.2384058440442, -0.03788284273999, 0, 0.03788284273999,
        0.2384058440442, 2.004945246313, 5.000012288349, 999},
       {1, 0.998659049317, 0.9901339628346, 0.580025658386, 0.2135522670341, 0, 0.2135522670341, 0.580025658386,
        0.9901339628346, 0.9999754234526, 1}},
      {"softsign",
       [](const Tensor& x) { return softsign(x); },
       {-0.999000999001, -0.8, -0.75, -0.5, -0.3333333333333, 0, 0.3333333333333, 0.5, 0.75, 0.8571428571429,
        0.999000999001},
       {9.98002996005e-07, 0.04, 0.0625, 0.25, 0.4444444444444, 1, 0.4444444444444, 0.25, 0.0625, 0.02040816326531,
        9.98002996005e-07}},
      {"threshold",
       [](const Tensor& x) { return threshold(x, 0.5, -7); },
       {-7, -7, -7, -7, -7, -7, -7, 1, 3, 6, 1000},
       {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
      {"mish",
       [](const Tensor& x) { return mish(x); },
       {0, -0.07259174079203, -0.1456474612756, -0.3034014613741, -0.2207437746517, 0, 0.3752452113049, 0.8650983882673,
        2.986535004968, 5.999926634065, 1000},
       {0, -0.05377320979348, -0.09339311453232, 0.0592167558774, 0.2895106779135, 0.6, 0.8864243753577, 1.0490362201,
        1.021106910929, 1.000134140506, 1}},
      {"leaky_relu",
       [](const Tensor& x) { return leaky_relu(x, 0.2); },
       {-200, -0.8, -0.6, -0.2, -0.1, 0, 0.5, 1, 3, 6, 1000},
       {0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 1, 1, 1, 1, 1}},
      {"prelu",
       [](const Tensor& x) { return prelu(x, tensor(0.25)); },
       {-250, -1, -0.75, -0.25, -0.125, 0, 0.5, 1, 3, 6, 1000},
       {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1, 1, 1, 1, 1}},
  };
  for (const auto& [name, function, values, gradients] : cases) {
    SCOPED_TRACE(name);
    const Tensor x = from_vector(at, {11}), y = function(x);
    expect_values(y, {11}, values, 1e-9);
    expect_values(grad(sum(y), x), {11}, gradients, 1e-9);
    expect_values(function(tensor({test::nan}, DType::f64)), {1}, {test::nan});
  }
}

TEST(Activation, PreluHasASlopeForEachChannel) {
  const Tensor x = from_vector<double>({-1, 2, -3, -4, 5, -6}, {1, 3, 2}),
               weight = tensor({0.5, 2.0, 0.25}, DType::f64);
  const Tensor y = prelu(x, weight);
  expect_values(y, {1, 3, 2}, {-0.5, 2, -6, -8, 5, -1.5});
  const auto gradients = grad(sum(y), {x, weight});
  expect_values(gradients[0], {1, 3, 2}, {0.5, 1, 2, 2, 1, 0.25});
  expect_values(gradients[1], {3}, {-1, -7, -6});
  expect_values(prelu(x, tensor({0.5}, DType::f64))[0][2], {2}, {5, -3});
  expect_error([&] { prelu(x, ones({2})); },
               "prelu: the weight tensor<2xf64> is neither one number nor one for each channel of tensor<1x3x2xf64>");
}

TEST(Activation, BoundsMustBeInOrder) {
  expect_error([] { hard_tanh(ones({2}), 1, -1); }, "hard_tanh: the bound 1 is above the bound -1");
  expect_error([] { softshrink(ones({2}), -1); }, "softshrink: lambda cannot be negative, got -1");
  expect_values(softmin(tensor({0.0, 0.0})), {2}, {0.5, 0.5});
}

TEST(Activation, GradientOfReluAtZeroIsZero) {
  const Tensor x = tensor({-1.f, 0.f, 1.f});
  expect_values(grad(sum(relu(x)), x), {3}, {0, 0, 1});
}

TEST(Activation, Softmax) {
  const Tensor x = tensor({{1.f, 2.f, 3.f}, {1000.f, 1000.f, 1000.f}});
  const double sum = std::exp(1) + std::exp(2) + std::exp(3), third = 1.0 / 3;
  expect_values(softmax(x), {2, 3}, {std::exp(1) / sum, std::exp(2) / sum, std::exp(3) / sum, third, third, third},
                1e-6);
  expect_values(softmax(transpose(x), 0)[2], {2}, {std::exp(3) / sum, third}, 1e-6);
  expect_values(log_softmax(x, 1)[0], {3}, {1 - std::log(sum), 2 - std::log(sum), 3 - std::log(sum)}, 1e-6);
  EXPECT_EQ(softmax(x.to(DType::bf16)).dtype(), DType::bf16);
  EXPECT_EQ(softmax(tensor({1, 2})).dtype(), DType::f32);
}

TEST(Activation, Normalizations) {
  const Tensor x = tensor({{1.f, 3.f}, {2.f, -2.f}}), weight = tensor({2.f, 1.f}), bias = tensor({1.f, 0.f});
  expect_values(layer_norm(x, weight, bias, 0), {2, 2}, {-1, 1, 3, -1}, 1e-6);
  expect_values(layer_norm(x, weight, 0), {2, 2}, {-2, 1, 2, -1}, 1e-6);
  expect_values(layer_norm(x, ones({2, 2}), zeros({2, 2}), 0), {2, 2},
                {0, 2 / std::sqrt(14.0 / 4), 1 / std::sqrt(3.5), -3 / std::sqrt(3.5)}, 1e-6);
  expect_values(rms_norm(x, weight, 0), {2, 2}, {2 / std::sqrt(5), 3 / std::sqrt(5), 2, -1}, 1e-6);
  expect_error([&] { layer_norm(x, ones({3})); }, "layer_norm: the weight tensor<3xf32> does not fit tensor<2x2xf32>");
}

// Computes softmax(q k^T / sqrt(d)) v, one query at a time.
Doubles attention_by_hand(const Doubles& q, const Doubles& k, const Doubles& v, std::size_t d, bool causal) {
  const std::size_t queries = q.size() / d, keys = k.size() / d;
  Doubles out(q.size());
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t seen = causal ? i + 1 + keys - queries : keys;
    Doubles weights(seen);
    double sum = 0;
    for (std::size_t j = 0; j < seen; ++j) {
      double score = 0;
      for (std::size_t c = 0; c < d; ++c) score += q[i * d + c] * k[j * d + c];
      sum += weights[j] = std::exp(score / std::sqrt(static_cast<double>(d)));
    }
    for (std::size_t j = 0; j < seen; ++j) {
      for (std::size_t c = 0; c < d; ++c) out[i * d + c] += weights[j] / sum * v[j * d + c];
    }
  }
  return out;
}

TEST(Attention, IsWeightedMean) {
  const Tensor q = test::arbitrary({1, 3, 4}), k = test::arbitrary({1, 5, 4}, 1), v = test::arbitrary({1, 5, 4}, 2);
  const auto values = [](const Tensor& x) { return x.to_vector<double>(); };
  for (const bool causal : {false, true}) {
    expect_values(scaled_dot_product_attention(q, k, v, {.causal = causal}), {1, 3, 4},
                  attention_by_hand(values(q), values(k), values(v), 4, causal), 1e-12);
  }
  const Doubles all = attention_by_hand(values(q), values(k), values(v), 4, true);
  expect_values(scaled_dot_product_attention(q, k, v, {.mask = causal_mask(3, 5)}), {1, 3, 4}, all, 1e-12);
  expect_values(scaled_dot_product_attention(q, k, v, {.mask = where(causal_mask(3, 5), 0.0, -1e30)}), {1, 3, 4}, all,
                1e-12);
  expect_error([&] { scaled_dot_product_attention(q, transpose(k), v); },
               "scaled_dot_product_attention: the keys tensor<1x4x5xf64> do not fit the queries tensor<1x3x4xf64>");
}

// As in PyTorch, a query that sees no key has the result 0, and neither it nor its keys and values have a NaN in their gradients.
TEST(Attention, QueriesThatSeeNothingGiveZero) {
  constexpr double hidden = -std::numeric_limits<double>::infinity();
  const std::vector<Tensor> x = {test::arbitrary({1, 3, 4}), test::arbitrary({1, 2, 4}, 1),
                                 test::arbitrary({1, 2, 4}, 2)};
  const Tensor seen = tensor({{false, false}, {true, false}, {true, true}}), added = where(seen, 0.0, hidden);
  const std::vector<Tensor> others = {slice(x[0], 1, 1, 3), x[1], x[2]};
  const auto results = [](const std::vector<Tensor>& in, const AttentionOptions& options) {
    const Tensor y = scaled_dot_product_attention(in[0], in[1], in[2], options);
    std::vector<Tensor> all = grad(sum(y * y), in);
    all.push_back(y);
    return all;
  };
  const auto expected = results(others, {.causal = true});
  for (const AttentionOptions& options : {AttentionOptions{.mask = seen}, {.mask = added}, {.causal = true}}) {
    const auto found = results(x, options);
    for (const std::size_t rows : {0, 3}) {
      expect_values(found[rows][0][0], {4}, Doubles(4), 0);
      expect_values(slice(found[rows], 1, 1, 3), {1, 2, 4}, expected[rows].to_vector<double>(), 1e-12);
    }
    for (const std::size_t keys : {1, 2})
      expect_values(found[keys], {1, 2, 4}, expected[keys].to_vector<double>(), 1e-12);
  }
  const Tensor by_mask = grad(sum(scaled_dot_product_attention(x[0], x[1], x[2], {.mask = added})), {added})[0];
  expect_values(by_mask[0], {2}, {0, 0}, 0);
}

// Long enough that queries are processed in blocks; the last block is short.
TEST(Attention, CausalBlocksAreTheMask) {
  for (const std::int64_t keys : {300, 340}) {
    const std::int64_t queries = 300;
    const std::vector<Tensor> x = {test::arbitrary({2, queries, 8}), test::arbitrary({2, keys, 8}, 1),
                                   test::arbitrary({2, keys, 4}, 2)};
    const Tensor weights = test::arbitrary({2, queries, 4}, 3);
    const auto results = [&](const AttentionOptions& options) {
      const Tensor y = scaled_dot_product_attention(x[0], x[1], x[2], options);
      std::vector<Tensor> all = grad(sum(y * weights), x);
      all.push_back(y);
      return all;
    };
    const auto blocks = results({.causal = true}), whole = results({.mask = causal_mask(queries, keys)});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      SCOPED_TRACE(i);
      expect_values(blocks[i], whole[i].shape(), whole[i].to_vector<double>(), 1e-12);
    }
  }
}

TEST(Activation, Gradients) {
  const Tensor x = test::arbitrary({2, 3}), y = test::arbitrary({3}, 1);
  const auto check = [&](auto f) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0], in[1]); }, {x, y});
  };
  check([](const Tensor& a, const Tensor&) {
    return gelu(a) + gelu(a, true) + silu(a) + sigmoid(a) + softplus(a) + elu(a, 2);
  });
  check([](const Tensor& a, const Tensor& b) { return softmax(a) * log_softmax(a, 0) + softmax(b); });
  check([](const Tensor& a, const Tensor& b) { return layer_norm(a, b, b) + rms_norm(a, b); });
  check([](const Tensor& a, const Tensor&) { return cross_entropy(a, tensor({2, 0}), {.label_smoothing = 0.1}); });
  check([](const Tensor& a, const Tensor& b) {
    const Tensor target = broadcast_to(b, a.shape());
    return binary_cross_entropy_with_logits(a, sigmoid(target)) + mse_loss(a, target);
  });
  test::expect_gradient(
      [](const std::vector<Tensor>& in) { return scaled_dot_product_attention(in[0], in[1], in[2], {.causal = true}); },
      {test::arbitrary({2, 3, 2}), test::arbitrary({2, 3, 2}, 1), test::arbitrary({2, 3, 2}, 2)});
}

}  // namespace
}  // namespace weft
