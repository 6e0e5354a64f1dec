// Compiled steps that read a value, most often their loss, before they take the gradient.
#include <cmath>
#include <vector>

#include "tests/jit/compile.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_values;
using testing::HasSubstr;

struct Linear {
  Parameter weight{arbitrary({3, 2})}, bias{zeros({2}, DType::f64)};
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

// Trains with a step that returns its loss, and returns the final parameters.
template <class Look>
std::vector<Tensor> train(Look look, Counts* counted = nullptr) {
  Linear model;
  optim::AdamW optimizer(model, {.lr = 0.1});
  const auto step = compile(
      [&](const Tensor& x, const Tensor& y) {
        const Tensor h = tanh(matmul(dropout(x, 0.25), model.weight) + model.bias);
        const Tensor loss = mean((h - y) * (h - y));
        if (!look(h, loss)) return loss;
        optimizer.step(grad(loss, optimizer.parameters()));
        return loss;
      },
      {.name = "step"});
  manual_seed(3);
  for (int i = 0; i < 6; ++i) step(arbitrary({4, 3}, i), arbitrary({4, 2}, i));
  if (counted) *counted = counts(step);
  return {model.weight, model.bias};
}

TEST(CompiledReadGradient, IsTheSameAsWithoutTheRead) {
  const std::vector<Tensor> expected = train([](auto&&...) { return true; });
  Counts counted;
  const std::vector<Tensor> one =
      train([](const Tensor&, const Tensor& loss) { return std::isfinite(loss.item()); }, &counted);
  EXPECT_EQ(counted, Counts(6, 1)) << "later calls know the programs before the read and behind it";
  const std::vector<Tensor> two = train([](const Tensor& h, const Tensor& loss) {
    return std::isfinite(h.to_vector<double>()[0]) && std::isfinite(loss.item());
  });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_values(one[i], expected[i].shape(), expected[i].to_vector<double>(), 1e-12);
    expect_values(two[i], expected[i].shape(), expected[i].to_vector<double>(), 1e-12);
  }
}

TEST(CompiledReadGradient, OfWhatAFunctionOutsideOfGraphsDoes) {
  Parameter w(tensor({1.f, 2.f}));
  const auto outside = disable([](const Tensor& x) { return x * x; });
  const auto step = compile([&](const Tensor& x) { return grad(sum(outside(w * x) * w), w); });
  for (int i = 0; i < 2; ++i) expect_values(step(tensor({2.f, 3.f})), {2}, {12, 108});
}

TEST(CompiledReadGradient, IsToldWithItsCost) {
  Parameter w(tensor({1.f, 2.f}));
  const LogOf log("graph_breaks");
  const auto step = compile(
      [&](const Tensor& x) {
        const Tensor loss = sum(exp(w * x));
        (void)loss.item();
        return grad(loss, w);
      },
      {.name = "step"});
  step(tensor({2.f, 3.f}));
  EXPECT_THAT(log.text, HasSubstr("read_gradient_test.cpp:"));
  EXPECT_THAT(log.text, HasSubstr("reaches back over a value that the host has read: 5 nodes"));
  const Explanation e = step.explain();
  EXPECT_EQ(e.breaks.size(), 1u);
  EXPECT_THAT(e.programs.at(0).frozen, testing::IsEmpty()) << "every call records it again";
}

}  // namespace
}  // namespace weft
