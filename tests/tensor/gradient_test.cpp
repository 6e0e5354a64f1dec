#include <thread>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;

TEST(Gradient, OfSeveralTensors) {
  const Tensor x = tensor({1.f, 2.f}), y = tensor({3.f, 4.f});
  const auto gradients = grad(sum(x * y * y), {x, y});
  expect_values(gradients[0], {2}, {9, 16});
  expect_values(gradients[1], {2}, {6, 16});
}

TEST(Gradient, OfIntermediateValues) {
  const Tensor x = tensor(2.f), y = x * x, z = y * 3;
  const Tensor by_y = grad(z * y, y), by_x = grad(z * y, x);
  expect_values(by_y, {}, {24});
  expect_values(by_x, {}, {96});
}

TEST(Gradient, OfHigherOrder) {
  const Tensor x = tensor(2.0, DType::f64);
  const Tensor y = x * x * x * x;
  const Tensor first = grad(y, x), second = grad(first, x), third = grad(second, x);
  expect_values(first, {}, {32});
  expect_values(second, {}, {48});
  expect_values(third, {}, {48});
}

TEST(Gradient, IsZeroForTensorsWithoutInfluence) {
  const Tensor x = tensor(2.f), y = tensor({1.f, 2.f});
  const auto gradients = grad(x * x, {x, y});
  expect_values(gradients[0], {}, {4});
  expect_values(gradients[1], {2}, {0, 0});
}

TEST(Gradient, NumbersDoNotRecompileIt) {
  const Tensor x = tensor({1.f, 2.f});
  const auto slope = [&](double factor) { return grad(sum(x * x * factor), x); };
  expect_values(slope(1), {2}, {2, 4});
  expect_values(slope(2), {2}, {4, 8});
  EXPECT_FALSE(last_sync().compiled);
}

TEST(Gradient, ValueAndGrad) {
  const auto f = [](const Tensor& x, const Tensor& y) { return sum(x * y); };
  const auto [value, gradient] = value_and_grad(f)(tensor({1.f, 2.f}), tensor({3.f, 4.f}));
  expect_values(value, {}, {11});
  expect_values(gradient, {2}, {3, 4});
  Parameter weight(tensor({1.f, 2.f}));
  const auto g = value_and_grad([&](const Tensor& x) { return sum(weight * x); }, std::vector<Parameter*>{&weight});
  expect_values(g(tensor({5.f, 6.f})).second[0], {2}, {5, 6});
}

// Each thread records the shared parameters as its own inputs, one for each.
TEST(Gradient, IsWholeWhileOtherThreadsUseTheSameTensors) {
  const Tensor x = tensor({1.f, 2.f});
  for (int step = 0; step < 3; ++step) {
    const Tensor y = x * x, z = x * 3;
    Tensor kept;
    std::thread([&] {
      kept = x * 2;  // recorded, not run
      expect_values(grad(sum(x * x * x), x), {2}, {3, 12});
      sync();
    }).join();
    expect_values(grad(sum(y * x + z), x), {2}, {6, 15});
    expect_values(kept, {2}, {2, 4});
  }
}

TEST(Gradient, VectorJacobianProduct) {
  const Tensor x = tensor({1.f, 2.f}), y = x * x;
  const Tensor ys[] = {y}, cotangents[] = {tensor({1.f, 10.f})}, xs[] = {x};
  expect_values(vjp(ys, cotangents, xs)[0], {2}, {2, 40});
}

TEST(Gradient, Errors) {
  const Tensor x = tensor({1.f, 2.f});
  expect_error([&] { grad(x * x, x); }, "grad: the loss must be one floating-point number, got tensor<2xf32>");
  expect_error([&] { grad(sum(x), tensor({1, 2})); },
               "grad: only floating-point tensors have gradients, got tensor<2xi32>");
  const std::string none =
      "grad: the loss depends on none of the 1 tensors (was there a sync, or something without a derivative, between "
      "them and the loss?)";
  expect_error([&] { grad(sum(x), tensor({1.f})); }, none);
  const Tensor y = sum(x * x);
  sync();
  expect_error([&] { grad(y * 2, x); }, none);
}

TEST(Gradient, FlowsThroughWhatWasReadBefore) {
  const Tensor x = tensor(3.f), y = x * x;
  EXPECT_EQ(y.item(), 9);  // y is a leaf from here on
  expect_values(grad(y * y, y), {}, {18});
}

}  // namespace
}  // namespace weft
