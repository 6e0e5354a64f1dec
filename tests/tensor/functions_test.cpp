// Functions composed of others: compared with their definitions and by their gradients.
#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

void expect_function(Tensor (*f)(const Operand&), double (*expected)(double), const Doubles& at, bool smooth = true) {
  const auto count = std::ssize(at);
  Doubles values;
  for (const double x : at) values.push_back(expected(x));
  expect_values(f(from_vector(at, {count})), {count}, values, 1e-12);
  if (smooth) expect_gradient([&](const auto& xs) { return f(xs[0]); }, {from_vector(at, {count})}, 1e-5);
}

TEST(Functions, OfOneNumber) {
  const Doubles any = {-3, -0.7, -1e-3, 1e-9, 0.4, 2.5}, inside = {-0.9, -0.2, 1e-7, 0.5, 0.99}, positive = {0.1, 1, 7};
  expect_function(exp2, std::exp2, any);
  expect_function(log2, std::log2, positive);
  expect_function(log10, std::log10, positive);
  expect_function(asin, std::asin, inside);
  expect_function(acos, std::acos, inside);
  expect_function(atan, std::atan, any);
  expect_function(sinh, std::sinh, any);
  expect_function(cosh, std::cosh, any);
  expect_function(log_sigmoid, [](double x) { return -std::log1p(std::exp(-x)); }, any);
  expect_function(mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, any);
  expect_function(hard_swish, [](double x) { return x * std::min(std::max(x + 3, 0.), 6.) / 6; }, {-4, -1, 0.5, 5});
  expect_values(log_sigmoid(tensor({-1e4, 1e4})), {2}, {-1e4, 0});
}

TEST(Functions, LogicAndChoice) {
  const Tensor a = tensor({0, 1, 2, 0}), b = tensor({0.f, 0.f, 3.f, 4.f});
  expect_values(logical_and(a, b), {4}, {0, 0, 1, 0});
  expect_values(logical_or(a, b), {4}, {0, 1, 1, 1});
  expect_values(logical_xor(a, b), {4}, {0, 1, 0, 1});
  expect_values(masked_fill(tensor({{1.f, 2.f}, {3.f, 4.f}}), tensor({true, false}), -1), {2, 2}, {-1, 2, -1, 4});
  expect_values(lerp(tensor({0.f, 4.f}), tensor({2.f, 8.f}), 0.25), {2}, {0.5, 5});
  expect_values(lerp(tensor({0.f, 4.f}), 1, tensor({{0.f}, {1.f}})), {2, 2}, {0, 4, 1, 1});
  const double nan = std::nan(""), inf = INFINITY;
  expect_values(isclose(tensor({1., 1., nan, inf, 1.}), tensor({1.000001, 1.1, nan, inf, inf})), {5}, {1, 0, 0, 1, 0});
  expect_error([] { masked_fill(ones({2}), ones({3, 2}), 0); },
               "masked_fill: the mask tensor<3x2xi1> does not broadcast to tensor<2xf32>");
  expect_values(glu(tensor({{1.f, 2.f, 0.f, 100.f}})), {1, 2}, {0.5, 2});
}

TEST(Functions, Losses) {
  const Tensor x = tensor({0.f, 1.f, -3.f}), t = tensor({0.5f, 1.f, 1.f});
  expect_values(l1_loss(x, t, Reduction::none), {3}, {0.5, 0, 4});
  expect_values(huber_loss(x, t, 1, Reduction::none), {3}, {0.125, 0, 3.5});
  expect_values(mse_loss(x, 1), {}, {17. / 3}, 1e-6);
  expect_values(kl_div(log(tensor({0.5, 0.25, 0.25})), tensor({0.5, 0.5, 0.}), Reduction::sum), {}, {0.5 * std::log(2)},
                1e-7);
  const Tensor logits = arbitrary({4, 5});
  const Tensor labels = tensor({3, 0, 4, 1});
  expect_values(nll_loss(log_softmax(logits), labels), {}, {cross_entropy(logits, labels).item()}, 1e-12);
  const Tensor soft = one_hot(labels, 5, DType::f64);
  expect_values(cross_entropy(logits, soft), {}, {cross_entropy(logits, labels).item()}, 1e-12);
  expect_values(cross_entropy(logits, soft, {.label_smoothing = 0.1}), {},
                {cross_entropy(logits, labels, {.label_smoothing = 0.1}).item()}, 1e-12);
  expect_gradient([&](const auto& xs) { return cross_entropy(xs[0], softmax(xs[1])); }, {logits, arbitrary({4, 5}, 1)});
  expect_gradient([&](const auto& xs) { return kl_div(log_softmax(xs[0]), softmax(xs[1])); },
                  {logits, arbitrary({4, 5}, 1)});
  expect_gradient([&](const auto& xs) { return huber_loss(xs[0] * 3, xs[1], 0.7); }, {logits, arbitrary({4, 5}, 1)});
}

TEST(Functions, LossesDoNotBroadcast) {
  const std::string shapes = ": the target tensor<4xf32> does not have the shape of tensor<4x1xf32>";
  expect_error([] { mse_loss(ones({4, 1}), ones({4})); }, "mse_loss" + shapes);
  expect_error([] { binary_cross_entropy_with_logits(ones({4, 1}), ones({4})); },
               "binary_cross_entropy_with_logits" + shapes);
  expect_error([] { cross_entropy(ones({4, 2}), ones({4, 3})); },
               "cross_entropy: the probabilities tensor<4x3xf32> do not have the shape of the logits tensor<4x2xf32>");
}

TEST(Functions, Normalisations) {
  const Tensor x = arbitrary({4, 6, 5}), weight = arbitrary({6}, 1), bias = arbitrary({6}, 2);
  const Tensor w = reshape(weight, {6, 1}), b = reshape(bias, {6, 1});
  const Tensor expected = (x - mean(x, {0, 2}, true)) / sqrt(var(x, {0, 2}, true, 0) + 1e-5) * w + b;
  expect_values(batch_norm(x, channel_statistics(x), weight, bias), {4, 6, 5}, expected.to_vector<double>(), 1e-10);
  const Tensor grouped = reshape(x, {4, 2, 15});
  const Tensor normal = (grouped - mean(grouped, 2, true)) / sqrt(var(grouped, 2, true, 0) + 1e-5);
  expect_values(group_norm(x, 2, weight, bias), {4, 6, 5}, (reshape(normal, {4, 6, 5}) * w + b).to_vector<double>(),
                1e-10);
  expect_gradient([](const auto& xs) { return batch_norm(xs[0], channel_statistics(xs[0]), xs[1], xs[2]); },
                  {x, weight, bias}, 1e-5);
  expect_gradient([](const auto& xs) { return group_norm(xs[0], 3, xs[1], xs[2]); }, {x, weight, bias}, 1e-5);
  expect_values(norm(normalize(x, 1), 1), {4, 5}, Doubles(20, 1.), 1e-10);
  expect_values(normalize(zeros({3})), {3}, {0, 0, 0});
  expect_values(cosine_similarity(tensor({{1., 0.}, {1., 1.}}), tensor({{0., 2.}, {3., 3.}})), {2}, {0, 1}, 1e-10);
  expect_error([] { group_norm(ones({2, 5, 3}), 2); },
               "group_norm: 2 groups do not divide the channels of tensor<2x5x3xf32>");
  expect_error([] { batch_norm(ones({2, 5}), {ones({4}), ones({4})}); },
               "batch_norm: the mean tensor<4xf32> and variance tensor<4xf32> do not fit tensor<2x5xf32>");
}

TEST(Functions, ConvolutionOfLines) {
  expect_values(
      conv1d(from_vector<float>({1, 2, 3, 4}, {1, 1, 4}), from_vector<float>({1, 10}, {1, 1, 2}), tensor({0.5f})),
      {1, 1, 3}, {21.5, 32.5, 43.5});
  expect_values(conv1d(from_vector<float>({1, 2, 3, 4}, {1, 1, 4}), from_vector<float>({1, 10}, {1, 1, 2}),
                       {.stride = 2, .padding = 1, .dilation = 2}),
                {1, 1, 2}, {20, 42});
  expect_gradient([](const auto& xs) { return conv1d(xs[0], xs[1], {.padding = 1, .groups = 2}); },
                  {arbitrary({2, 4, 5}), arbitrary({6, 2, 3}, 1)});
}

// The gradient of conv2d with respect to its input is conv_transpose2d of the cotangent.
TEST(Functions, TransposedConvolutionIsTheGradientOfConvolution) {
  struct Case {
    Pair2d stride, padding, dilation;
    std::int64_t groups;
    Pair2d size;
  };
  for (const Case& c : {Case{1, 0, 1, 1, {5, 6}}, Case{2, 1, 1, 2, {6, 7}}, Case{{3, 1}, {0, 2}, {1, 2}, 1, {9, 8}}}) {
    const Tensor x = arbitrary({2, 4, c.size[0], c.size[1]}), weight = arbitrary({6, 4 / c.groups, 3, 3}, 1);
    const ConvOptions options{c.stride, c.padding, c.dilation, c.groups};
    const Tensor y = conv2d(x, weight, options), cotangent = arbitrary(y.shape(), 2);
    const Tensor expected = grad(sum(y * cotangent), x);
    const auto rest = [&](int i) { return (c.size[i] + 2 * c.padding[i] - c.dilation[i] * 2 - 1) % c.stride[i]; };
    const Tensor got = conv_transpose2d(cotangent, weight,
                                        {.stride = c.stride,
                                         .padding = c.padding,
                                         .output_padding = {rest(0), rest(1)},
                                         .dilation = c.dilation,
                                         .groups = c.groups});
    expect_values(got, x.shape(), expected.to_vector<double>(), 1e-10);
  }
  expect_gradient([](const auto& xs) { return conv_transpose2d(xs[0], xs[1], xs[2], {.stride = 2, .padding = 1}); },
                  {arbitrary({2, 3, 3, 2}), arbitrary({3, 4, 3, 3}, 1), arbitrary({4}, 2)});
}

TEST(Functions, WindowsThatDoNotFit) {
  const Tensor x = ones({1, 2, 4, 4}), weight = ones({3, 2, 5, 5});
  expect_error([&] { conv2d(x, weight); },
               "conv2d: a window of 5 does not fit dimension 2 of tensor<1x2x4x4xf32>, which has 4 elements with its "
               "padding");
  expect_error([&] { conv2d(x, weight, {.stride = 0}); },
               "conv2d: window, stride and dilation must be positive, got 5, 0 and 1");
  expect_error([&] { conv2d(x, weight, {.padding = -1}); }, "conv2d: the padding must not be negative, got -1");
  expect_error(
      [&] { max_pool2d(x, 5); },
      "max_pool2d: a window of 5 does not fit dimension 2 of tensor<1x2x4x4xf32>, which has 4 elements with its "
      "padding");
  expect_error([&] { avg_pool2d(x, 0); }, "avg_pool2d: window, stride and dilation must be positive, got 0, 0 and 1");
  expect_error([&] { max_pool2d(x, 2, {.stride = 1, .padding = 2}); },
               "max_pool2d: a padding of 2 is more than half of the window 2");
  expect_values(conv2d(ones({0, 2, 8, 8}), weight), {0, 3, 4, 4}, {});
}

TEST(Functions, MistakesThatWouldPassSilently) {
  expect_error([] { matmul(ones({2, 2}) > 0, ones({2, 2}) > 0); },
               "matmul: is not defined for booleans, got tensor<2x2xi1> and tensor<2x2xi1>");
  expect_error([] { dropout(ones({2}), 1.5); }, "dropout: the probability must lie in [0, 1), got 1.5");
  expect_error([] { random::categorical(random::Key(1), ones({})); },
               "random::categorical: expected logits of rank 1 or more, got tensor<f32>");
  EXPECT_THROW((zeros({1LL << 40}) + 1).to_vector<double>(), Error);
}

}  // namespace
}  // namespace weft
