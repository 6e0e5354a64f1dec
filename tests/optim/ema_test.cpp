// Averages of parameters: updated within the step, saved, and exchanged for evaluation.
#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;

struct Averaged {
  Parameter weight{tensor({1.0, 2.0}, DType::f64)}, half{tensor({4.f}).to(DType::bf16)};
  Parameter running{tensor({7.f})};
  Averaged() { running.requires_grad = false; }
  void fields(auto&& field) {
    field("weight", weight);
    field("half", half);
    field("running", running);
  }
};

// As in PyTorch, the first update copies the parameters.
TEST(EMA, FollowsTheParametersInACompiledStep) {
  Averaged model;
  optim::SGD optimizer(model, {.lr = 1});
  optim::EMA ema(model, {.decay = 0.75});
  const auto step = compile([&] {
    optimizer.step(grad(sum(model.weight) + sum(model.half).to(DType::f64), optimizer.parameters()));
    ema.update();
  });
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(step.explain().compiles, 1u);
  expect_values(model.weight, {2}, {-2, -1});
  // 0; 0.75 * 0 + 0.25 * -1; 0.75 * -0.25 + 0.25 * -2
  expect_values(state_dict(ema).at("weight"), {2}, {-0.6875, 0.3125});
  EXPECT_EQ(state_dict(ema).at("half").dtype(), DType::f32);
  expect_values(state_dict(ema).at("half"), {1}, {2.3125});
  EXPECT_FALSE(state_dict(ema).contains("running"));
  ema.options().decay = 0.5;
  step();
  EXPECT_EQ(step.explain().compiles, 1u);
  expect_values(state_dict(ema).at("weight"), {2}, {-1.84375, -0.84375});
}

TEST(EMA, IsAppliedForAWhile) {
  Averaged model;
  optim::EMA ema(model, {.decay = 0.5});
  const auto evaluate = compile([&] { return sum(model.weight); });
  {
    const optim::EMA::Applied averaged = ema.apply();
    EXPECT_EQ(evaluate().item(), 3) << "before the first update, the averages are the parameters";
  }
  ema.update();
  model.weight = tensor({3.0, 2.0}, DType::f64);
  ema.update();
  EXPECT_EQ(evaluate().item(), 5);
  {
    const optim::EMA::Applied averaged = ema.apply();
    EXPECT_EQ(evaluate().item(), 4);
    expect_error([&] { ema.update(); }, "EMA.update: the model has the averages; call swap first");
  }
  EXPECT_EQ(evaluate().item(), 5);
  EXPECT_EQ(evaluate.explain().compiles, 1u);
  ema.update();
  expect_values(state_dict(ema).at("weight"), {2}, {2.5, 2});
}

TEST(EMA, IsSavedAndLoaded) {
  Averaged a, b;
  optim::EMA first(a), second(b);
  first.update();
  load_state_dict(second, state_dict(first));
  b.weight = tensor({0.0, 0.0}, DType::f64);
  second.update();
  expect_values(state_dict(second).at("weight"), {2}, {0.999, 1.998}, 1e-15);
}

TEST(EMA, Errors) {
  Averaged model;
  expect_error([&] { optim::EMA(model, {.decay = 1.5}); }, "EMA: decay must lie in [0, 1], got 1.5");
  auto short_lived = std::make_unique<Averaged>();
  optim::EMA ema(*short_lived);
  short_lived.reset();
  expect_error(
      [&] { ema.update(); },
      "EMA.update: weight was destroyed: the model of this EMA no longer exists; keep it as long as the EMA is used");
}

}  // namespace
}  // namespace weft
