// Gradients that are taken outside of a compiled function, through the results of a call.
#include <functional>
#include <vector>

#include <weft/base/knobs.h>

#include "tests/error_of.h"
#include "tests/jit/compile.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_values;
using testing::HasSubstr;

struct TwoMatrices {
  Parameter first{arbitrary({3, 5}, 1)}, second{arbitrary({5, 2}, 2)};
  Tensor operator()(const Tensor& x) { return matmul(dropout(tanh(matmul(x, first)), 0.25), second); }
  void fields(auto&& field) {
    field("first", first);
    field("second", second);
  }
};

// Runs a few evaluations and three training steps with the model that `wrap` returns. Returns the parameters.
template <class Wrap>
std::vector<std::vector<double>> trained(Wrap wrap, int evaluations = 0) {
  TwoMatrices model;
  optim::AdamW optimizer(model, {.lr = 0.1});
  auto&& forward = wrap(model);
  for (int i = 0; i < evaluations; ++i) sum(forward(arbitrary({4, 3}, 50 + i))).item();
  manual_seed(7);
  for (int i = 0; i < 3; ++i) {
    const Tensor x = arbitrary({4, 3}, i);
    const Tensor loss = mse_loss(forward(x), arbitrary({4, 2}, 10 + i));
    optimizer.step(grad(loss, optimizer.parameters()));
  }
  std::vector<std::vector<double>> values;
  for (const Parameter* p : optimizer.parameters()) values.push_back(p->tensor().to_vector<double>());
  return values;
}

void expect_same(const std::vector<std::vector<double>>& got, const std::vector<std::vector<double>>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    expect_values(from_vector(got[i], {std::ssize(got[i])}), {std::ssize(got[i])}, expected[i], 1e-12);
}

TEST(OutsideGradient, TrainsACompiledModelLikeAnEagerOne) {
  const auto expected = trained([](TwoMatrices& model) -> TwoMatrices& { return model; });
  expect_same(trained([](TwoMatrices& model) { return compile(model); }), expected);
}

TEST(OutsideGradient, TrainsACompiledModelThatWasReplayedBefore) {
  const auto expected = trained([](TwoMatrices& model) -> TwoMatrices& { return model; }, 3);
  expect_same(trained([](TwoMatrices& model) { return compile(model); }, 3), expected);
}

TEST(OutsideGradient, OfAReplayUsesTheRandomNumbersOfThatCall) {
  Parameter w(arbitrary({64}));
  const auto noisy = compile([&](const Tensor& x) { return dropout(w * x, 0.5); });
  const Tensor x = ones({64}, DType::f64);
  for (int i = 0; i < 3; ++i) {
    const Tensor y = noisy(x);
    const Tensor again = noisy(x);  // draws different numbers
    const Tensor gradient = grad(sum(y), w);
    expect_values(gradient * w, {64}, y.to_vector<double>(), 1e-12);
  }
}

TEST(OutsideGradient, ReachesWhatWasRecordedBeforeTheCall) {
  Parameter w(tensor({1.f, 2.f}));
  const auto square = compile([](const Tensor& x) { return x * x; });
  for (int i = 0; i < 3; ++i) {
    const Tensor x = w * 3;
    expect_values(grad(sum(square(x)), w), {2}, {18, 36});
  }
}

// Checks the gradient in the recorded call, in a replay, and in a call that became part of its caller.
void expect_slope(const std::function<Tensor()>& call, const Parameter& by, double expected) {
  expect_values(grad(call(), by), {1}, {expected});
  expect_values(grad(call(), by), {1}, {expected});
}
void expect_slope_of_replay(const std::function<Tensor()>& call, const Parameter& by, double expected) {
  for (int i = 0; i < 3; ++i) (void)call().item();
  expect_slope(call, by, expected);
}

TEST(OutsideGradient, ByAParameterIsNoneByItsCopy) {
  for (const auto& expect : {expect_slope, expect_slope_of_replay}) {
    const Tensor one = ones({1});
    Parameter w(tensor({3.f})), copy(w), copy_of_copy(copy);
    sync();
    const Tensor held = copy;
    const auto captures = [&](const Tensor& x) { return sum(w * copy * copy_of_copy * x); };
    for (const Parameter* const by : {&w, &copy, &copy_of_copy}) {
      const auto f = compile(captures);
      expect([&] { return f(one); }, *by, 9);
    }
    const auto passed = compile([](const Tensor& x, const Tensor& y) { return sum(x * y); });
    expect([&] { return passed(w, copy); }, w, 3);
    const auto of_a_tensor = compile([&](const Tensor& x) { return sum(w * held * x); });
    expect([&] { return of_a_tensor(one); }, w, 3);
    const auto copies = compile([&](const Tensor& x) {
      const Parameter inside(w);
      return sum(w * inside * x);
    });
    expect([&] { return copies(one); }, w, 3);
    const auto is_cut = compile([&](const Tensor& x) {
      const Tensor y = w * copy * x;
      (void)y.item();
      return sum(y * 2);
    });
    expect([&] { return is_cut(one); }, w, 6);
  }
}

TEST(OutsideGradient, ByATensorIsByAllOfItsUses) {
  for (const auto& expect : {expect_slope, expect_slope_of_replay}) {
    const Tensor one = ones({1}), shared = tensor({3.f});
    const Parameter w(shared), tied(shared);
    const auto captures = compile([&](const Tensor& x) { return sum(w * tied * x); });
    expect([&] { return captures(one); }, w, 6);
    const auto passed = compile([](const Tensor& x, const Tensor& y) { return sum(x * y); });
    expect([&] { return passed(w, w); }, w, 6);
    expect([&] { return passed(w, tied); }, tied, 6);
  }
}

// The moments of an optimizer, or a target network, hold copies of values that a step replaces.
TEST(OutsideGradient, ByAParameterThatIsUpdatedAndCopied) {
  for (int calls_before = 0; calls_before < 3; ++calls_before) {
    const Tensor one = ones({1});
    Parameter w(tensor({3.f}));
    Parameter target(w);
    sync();
    const auto loss = compile([&](const Tensor& x) { return sum(w * target * x); });
    for (int i = 0; i < calls_before; ++i) (void)loss(one).item();
    for (int i = 0; i < 3; ++i) {
      const double value = w.tensor().item();
      expect_values(grad(loss(one), w), {1}, {value});
      w = w + 1;
      target = w;
    }
  }
}

TEST(OutsideGradient, AddsUpWaysAroundAndThroughTheCall) {
  Parameter w(tensor({1.f, 2.f}));
  const auto square = compile([&](const Tensor& x) { return w * x; });
  const Tensor x = tensor({3.f, 4.f});
  for (int i = 0; i < 3; ++i) expect_values(grad(sum(square(x) * w), w), {2}, {6, 16});
}

TEST(OutsideGradient, PassesThroughAChainOfCalls) {
  Parameter w(tensor(0.5));
  const auto cell = compile([&](const Tensor& h) { return tanh(w * h); });
  const auto unrolled = [&](auto&& step) {
    Tensor h = tensor(0.7);
    for (int i = 0; i < 5; ++i) h = step(h);
    return grad(h, w).item<double>();
  };
  const double expected = unrolled([&](const Tensor& h) { return tanh(w * h); });
  EXPECT_NEAR(unrolled(cell), expected, 1e-12);
  EXPECT_NEAR(unrolled(cell), expected, 1e-12);
}

TEST(OutsideGradient, PassesThroughAsManyCallsAsAreKept) {
  Parameter w(tensor(0.5));
  for (const int steps : {900, 1200}) {
    const auto cell = compile([&](const Tensor& h) { return tanh(w * h + 0.1); }, {.name = "cell"});
    const auto unrolled = [&](auto&& step) {
      Tensor h = tensor(0.7);
      for (int i = 0; i < steps; ++i) h = step(h);
      return grad(h, w).item<double>();
    };
    const double expected = unrolled([&](const Tensor& h) { return tanh(w * h + 0.1); });
    if (steps == 900) {
      EXPECT_NEAR(unrolled(cell), expected, 1e-12);
    } else {
      try {
        unrolled(cell);
        FAIL() << "more calls than are kept";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("made by more launches than are kept"));
      }
    }
    EXPECT_NEAR(unrolled(cell), expected, 1e-12) << "they are part of the recording by now";
  }
}

TEST(OutsideGradient, OfAPenaltyOnTheSlopeByItsInput) {
  Parameter w(tensor({1.f, 2.f}));
  const auto model = compile([&](const Tensor& x) { return sum(x * x * w); });
  const Tensor x = tensor({3.f, 4.f});
  for (int i = 0; i < 3; ++i) {
    const Tensor loss = model(x);
    const Tensor slope = grad(loss, x);  // 2 x w
    expect_values(grad(loss + sum(square(slope)), w), {2}, {9 + 72, 16 + 256});
  }
}

TEST(OutsideGradient, ByAResultOfTheCall) {
  const auto both = compile([](const Tensor& x) {
    const Tensor a = x * x;
    return std::pair(a, exp(a));
  });
  const Tensor x = tensor({0.5f, 1.f});
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = both(x);
    const std::vector<Tensor> gradients = grad(sum(b), {a, x});
    const std::vector<double> e = b.to_vector<double>();
    expect_values(gradients[0], {2}, e, 1e-6);
    expect_values(gradients[1], {2}, {e[0], 2 * e[1]}, 1e-5);
  }
}

TEST(OutsideGradient, KeepsTheArgumentsOfTheLastCall) {
  Parameter w(tensor(2.0));
  const auto product = compile([&](const Tensor& x) { return sum(w * x); });
  const auto batch = [](int i) { return from_vector(arbitrary({5000}, i).to_vector<double>(), {5000}); };
  Tensor y;
  for (int i = 0; i < 3; ++i) y = product(batch(i));
  EXPECT_NEAR(grad(y, w).item<double>(), sum(batch(2)).item<double>(), 1e-6);
}

TEST(OutsideGradient, OfACallWhoseArgumentIsGoneSaysWhatToKeep) {
  Parameter w(tensor(2.0));
  const auto product = compile([&](const Tensor& x) { return sum(w * x); }, {.name = "product"});
  const auto batch = [](int i) { return from_vector(arbitrary({5000}, i).to_vector<double>(), {5000}); };
  product(batch(0));
  const Tensor y = product(batch(1));
  product(batch(2));
  try {
    grad(y, w).item<double>();
    FAIL() << "the argument is gone";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("product"));
    EXPECT_THAT(error.what(), HasSubstr("argument 0"));
    EXPECT_THAT(error.what(), HasSubstr("keep"));
  }
  // From now on, calls become part of the recording, which keeps what it needs.
  EXPECT_NEAR(grad(product(batch(2)), w).item<double>(), sum(batch(2)).item<double>(), 1e-6);
}

TEST(OutsideGradient, MakesLaterCallsPartOfTheirCaller) {
  Parameter w(tensor(2.0));
  const auto product = compile([&](const Tensor& x) { return w * x; }, {.name = "product"});
  const Tensor x = tensor(3.0), other = tensor({1.0, 2.0});
  product(other);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(grad(product(x), w).item<double>(), 3);
  for (int i = 0; i < 4; ++i) product(other);
  const Explanation told = product.explain();
  EXPECT_EQ(told.recorded, 2u);
  EXPECT_EQ(told.programs[0].replays, 4u) << "no gradient is taken through calls of this kind";
  EXPECT_EQ(told.programs[1].inlined, 3u);
  EXPECT_THAT(told.text(), HasSubstr("outside_gradient_test.cpp"));
}

TEST(OutsideGradient, OfAFunctionThatTakesGradientsItself) {
  Parameter w(tensor(2.0));
  const auto slope = compile([&](const Tensor& x) { return grad(w * w * x * x * x, x); });  // 3 w^2 x^2
  for (int i = 0; i < 4; ++i) {
    const Tensor x = w * 1.5;  // the inner gradient does not flow through this
    const Tensor y = slope(x);
    EXPECT_NEAR(y.item<double>(), 108, 1e-4);
    EXPECT_NEAR(grad(y, x).item<double>(), 72, 1e-4);
    EXPECT_NEAR(grad(slope(w * 1.5), w).item<double>(), 216, 1e-3);  // derivative of 6.75 w^4
  }
}

// A gradient that no longer depends on its variable is zero, in the recorded call and in replays.
TEST(OutsideGradient, OfAGradientThatIsConstantIsZero) {
  const Parameter w(tensor({3.f}));
  const auto by_w = compile([&](const Tensor& x) { return grad(sum(w * x), w); });
  const auto of_nothing = compile([&](const Tensor&) { return grad(sum(w * 2), w); });
  for (int call = 0; call < 3; ++call) {
    const Tensor x = tensor({5.f});
    expect_values(grad(sum(by_w(x)), w), {1}, {0});
    expect_values(grad(sum(by_w(x) * w), {w, x})[1], {1}, {3});
    expect_values(grad(sum(of_nothing(x)), w), {1}, {0});
    EXPECT_THAT(error_of([&] { (void)grad(sum(by_w(x)), Parameter(tensor({1.f}))); }),
                HasSubstr("none of the 1 tensors"));
  }
}

TEST(OutsideGradient, IsTheSameUnderEveryStanceAndBackend) {
  const auto expected = trained([](TwoMatrices& model) -> TwoMatrices& { return model; }, 1);
  for (const Stance stance : {Stance::force_eager, Stance::eager_then_compile, Stance::eager_on_recompile}) {
    const StanceScope scope(stance);
    expect_same(trained([](TwoMatrices& model) { return compile(model); }, 1), expected);
  }
  expect_same(trained([](TwoMatrices& model) { return compile(model, {.backend = "interpreter"}); }, 1), expected);
  expect_same(trained([](TwoMatrices& model) { return compile(model, {.check_replays = true}); }, 1), expected);
  const knobs::Override strict{knobs::strict, true};
  expect_same(trained([](TwoMatrices& model) { return compile(model); }, 1), expected);
}

TEST(OutsideGradient, OfAStepThatUpdatesItsParametersIsRefusedByName) {
  Parameter w(tensor(2.0));
  optim::SGD optimizer(std::vector<NamedParameter>{{"w", &w}}, {.lr = 0.1});
  const auto step = compile(
      [&](const Tensor& x) {
        const Tensor loss = w * w * x;
        optimizer.step(grad(loss, optimizer.parameters()));
        return loss;
      },
      {.name = "train"});
  const Tensor x = tensor(1.0);
  for (int i = 0; i < 2; ++i) {
    try {
      const Tensor gradient = grad(step(x), w);
      FAIL() << gradient;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("train"));
      EXPECT_THAT(error.what(), HasSubstr("inside"));
    }
  }
}

TEST(OutsideGradient, OfAPiecewiseConstantFunctionIsZero) {
  auto rounded = compile([](const Tensor& x) { return round(x); });
  auto places = compile([](const Tensor& x) { return argmax(x).to(DType::f32); });
  const Tensor x = tensor({1.25f, 2.5f});
  for (int call = 0; call < 3; ++call) {
    expect_values(grad(sum(rounded(x) * 2), x), {2}, {0, 0});
    const std::string message = error_of([&] { (void)grad(places(x), x); });
    EXPECT_THAT(message, testing::StartsWith("grad: the loss depends on the 1 tensors only through compare at "))
        << call;
  }
}

}  // namespace
}  // namespace weft
