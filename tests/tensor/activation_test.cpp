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

TEST(Loss, CrossEntropy) {
  const Tensor logits = tensor({{1.f, 2.f, 3.f}, {3.f, 2.f, 1.f}});
  const double lse = std::log(std::exp(1) + std::exp(2) + std::exp(3));
  expect_values(cross_entropy(logits, tensor({2, 1})), {}, {lse - 2.5}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 1}), {.reduction = Reduction::sum}), {}, {2 * lse - 5}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 1}), {.reduction = Reduction::none}), {2}, {lse - 3, lse - 2}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, -100})), {}, {lse - 3}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 0}, DType::u8)), {}, {lse - 3}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 0}), {.label_smoothing = 0.3}), {},
                {0.7 * (lse - 3) + 0.3 * (lse - 2)}, 1e-6);
  EXPECT_EQ(cross_entropy(logits.to(DType::bf16), tensor({2, 1})).dtype(), DType::f32);
  expect_error([&] { cross_entropy(logits, tensor({1, 2, 3})); },
               "cross_entropy: the labels tensor<3xi32> do not fit the logits tensor<2x3xf32>: expected integers of "
               "the logits' shape "
               "without the classes, or probabilities of the logits' shape");
}

TEST(Loss, LabelsThatAreNoClass) {
  const double nan = std::nan("");
  const Tensor logits = tensor({{1.f, 2.f, 3.f}, {0.5f, 0.f, 2.f}});
  const double first = -std::log(std::exp(-1.) / (std::exp(-2.) + std::exp(-1.) + 1));  // for label 1
  const double second = -std::log(std::exp(-1.5) / (std::exp(-1.5) + std::exp(-2.) + 1));
  const auto check = [&](const Tensor& labels, const CrossEntropyOptions& options, const Doubles& each, double mean) {
    CrossEntropyOptions none = options;
    none.reduction = Reduction::none;
    expect_values(cross_entropy(logits, labels, none), {2}, each, 1e-6);
    expect_values(cross_entropy(logits, labels, options), {}, {mean}, 1e-6);
    const Tensor log_p = log_softmax(logits);
    expect_values(nll_loss(log_p, labels, Reduction::none, options.ignore_index), {2}, each, 1e-6);
    expect_values(nll_loss(log_p, labels, Reduction::mean, options.ignore_index), {}, {mean}, 1e-6);
  };
  for (const int label : {3, -1, 100, -101}) check(tensor({1, label}), {}, {first, nan}, nan);
  check(tensor({1, 255}, DType::u8), {}, {first, nan}, nan);
  check(tensor({1, 255}, DType::u8), {.ignore_index = 255}, {first, 0}, first);
  check(tensor({1, 3}), {.ignore_index = 3}, {first, 0}, first);
  check(tensor({1, 0}), {.ignore_index = 0}, {first, 0}, first);
  check(tensor({1, -100}), {}, {first, 0}, first);
  check(tensor({-100, -100}), {}, {0, 0}, nan);
  check(tensor({1, 0}, DType::u8), {.ignore_index = 256}, {first, second}, (first + second) / 2);
  const Tensor many = zeros({2, 256});  // more classes than the label dtype can represent
  expect_values(cross_entropy(many, tensor({255, 1}, DType::u8)), {}, {std::log(256.)}, 1e-5);
  expect_values(cross_entropy(many, tensor({127, -1}, DType::i8), {.reduction = Reduction::none}), {2},
                {std::log(256.), nan}, 1e-5);
  const auto loss = [](const Tensor& x) { return cross_entropy(x, tensor({-100, 7}), {.reduction = Reduction::sum}); };
  expect_values(grad(loss(logits), {logits}).at(0), {2, 3}, Doubles(6, 0));
}

TEST(Loss, Others) {
  const Tensor x = tensor({1.f, -2.f}), t = tensor({0.f, 1.f});
  expect_values(mse_loss(x, t), {}, {5}, 1e-6);
  expect_values(binary_cross_entropy_with_logits(x, t, Reduction::none), {2},
                {std::log1p(std::exp(1)), std::log1p(std::exp(2))}, 1e-6);
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
