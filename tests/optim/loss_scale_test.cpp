// Dynamic loss scaling: what the device decides, against torch.amp.GradScaler's rule.
#include <limits>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;

struct Scaled {
  Parameter weight{tensor({1.f, 2.f}).to(DType::f16)};
  void fields(auto&& field) { field("weight", weight); }
};

constexpr float infinite = std::numeric_limits<float>::infinity();

TEST(LossScale, KeepsGradientsThatF16WouldLose) {
  Scaled model;
  const Tensor tiny = constant(1e-8);  // 0 in f16
  const auto loss = [&] { return sum(model.weight.tensor().to(DType::f32) * tiny); };
  expect_values(grad(loss(), model.weight), {2}, {0, 0});
  const optim::LossScale scale;
  const auto unscaled = scale.unscale(std::vector{grad(scale * loss(), model.weight)});
  EXPECT_EQ(unscaled.gradients[0].dtype(), DType::f32);
  expect_values(unscaled.gradients[0], {2}, {1e-8, 1e-8}, 1e-11);
}

// One program skips steps, halves and doubles the scale, without a read of the host between the steps.
TEST(LossScale, SkipsHalvesAndGrowsInOneProgram) {
  for (const bool compiled : {false, true}) {
    Scaled model;
    optim::Adam optimizer(model, {.lr = 0.5});
    optim::LossScale scale({.initial = 8, .growth_interval = 2});
    const auto update = [&](const Tensor& gradient) { scale.step(optimizer, std::vector{gradient}); };
    const auto step = compile(update);
    const auto take = [&](float size) {
      const Tensor gradient = tensor({size, -size}).to(DType::f16);
      sync();
      compiled ? step(gradient) : update(gradient);
    };
    const auto weights = [&] { return model.weight.tensor().to_vector<float>(); };
    take(8);  // unscaled, 1
    EXPECT_EQ(weights(), (std::vector<float>{0.5, 2.5}));
    EXPECT_EQ(scale.value().item(), 8);
    const StateDict before = state_dict(optimizer);
    for (const float bad : {infinite, std::numeric_limits<float>::quiet_NaN()}) take(bad);
    EXPECT_EQ(weights(), (std::vector<float>{0.5, 2.5}));
    EXPECT_EQ(scale.value().item(), 2);
    EXPECT_EQ(state_dict(optimizer).at("step").item<int>(), 1);
    EXPECT_EQ(state_dict(optimizer).at("weight.exp_avg_sq").to_vector<float>(),
              before.at("weight.exp_avg_sq").to_vector<float>());
    take(2);
    EXPECT_EQ(scale.value().item(), 2);
    take(2);
    EXPECT_EQ(scale.value().item(), 4) << "after two steps without an overflow";
    EXPECT_EQ(weights(), (std::vector<float>{-0.5, 3.5}));
    EXPECT_EQ(step.explain().compiles, compiled ? 1u : 0u);
  }
}

TEST(LossScale, IsSavedAndLoaded) {
  optim::LossScale first({.initial = 1024, .growth_interval = 2}), second;
  first.update(constant(true, DType::boolean));
  load_state_dict(second, state_dict(first));
  EXPECT_EQ(second.value().item(), 1024);
  EXPECT_EQ(state_dict(second).at("steps_without_overflow").item<int>(), 1);
}

TEST(LossScale, DoesNotGrowBeyondWhatIsFinite) {
  optim::LossScale scale({.initial = std::numeric_limits<float>::max(), .growth_interval = 1});
  scale.update(constant(true, DType::boolean));
  EXPECT_EQ(scale.value().item(), std::numeric_limits<float>::max());
}

// A step that is skipped does not count, even for parameters that are left out of it.
TEST(LossScale, StepIf) {
  for (const bool taken : {false, true}) {
    Scaled model;
    optim::SGD optimizer(model, {.lr = 1, .momentum = 0.5});
    optimizer.step_if(constant(taken, DType::boolean), std::vector{ones({2})});
    expect_values(model.weight, {2}, taken ? test::Doubles{0, 1} : test::Doubles{1, 2});
    EXPECT_EQ(state_dict(optimizer).at("step").item<int>(), taken);
    EXPECT_EQ(state_dict(optimizer).at("weight.momentum").to_vector<float>()[0], taken);
  }
  Scaled model;
  optim::SGD optimizer(model);
  expect_error([&] { optimizer.step_if(ones({2}), std::vector{ones({2})}); },
               "Optimizer.step_if: the condition must be one boolean, got tensor<2xf32>");
}

TEST(LossScale, Errors) {
  expect_error([] { optim::LossScale({.initial = 0}); }, "LossScale: initial must be positive, got 0");
  expect_error([] { optim::LossScale({.growth = 0.5}); }, "LossScale: growth must be at least 1, got 0.5");
  expect_error([] { optim::LossScale({.backoff = 1}); }, "LossScale: backoff must lie in (0, 1), got 1");
  expect_error([] { optim::LossScale({.growth_interval = 0}); }, "LossScale: growth_interval must be positive, got 0");
  expect_error([] { optim::LossScale().unscale({}); }, "LossScale.unscale: no gradients");
}

}  // namespace
}  // namespace weft
