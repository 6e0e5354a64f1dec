#include <cmath>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

struct Model {
  Parameter weight{tensor({{1.0, -2.0}}, DType::f64)};
  Parameter bias{tensor({0.5}, DType::f64)};
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

struct Half {
  Parameter weight{ones({4}, DType::bf16)};
  void fields(auto&& field) { field("weight", weight); }
};

struct Zero {
  Parameter weight{zeros({4})};
  void fields(auto&& field) { field("weight", weight); }
};

const std::vector<Doubles>& gradients_of_steps() {
  static const std::vector<Doubles> gradients{{0.1, -0.2, 0.3}, {-0.4, 0.5, 0.6}, {0.7, 0.8, -0.9}};
  return gradients;
}

// Returns the parameters after three steps.
template <class O>
Doubles train(Model& model, O& optimizer) {
  for (const Doubles& g : gradients_of_steps()) {
    optimizer.step(std::vector{from_vector<double>({g[0], g[1]}, {1, 2}), from_vector<double>({g[2]}, {1})});
    sync();
  }
  Doubles values = model.weight.tensor().to_vector<double>();
  values.push_back(model.bias.tensor().item());
  return values;
}

// Computes the same with a formula for one number.
template <class Rule>
Doubles expected(Rule make_rule) {
  Doubles values{1, -2, 0.5};
  for (std::size_t i = 0; i < 3; ++i) {
    auto rule = make_rule(i < 2);
    for (int t = 1; t <= 3; ++t) values[i] = rule(values[i], gradients_of_steps()[t - 1][i], t);
  }
  return values;
}

void expect_close(const Doubles& got, const Doubles& wanted) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], wanted[i], 1e-13) << i;
}

TEST(SGD, Plain) {
  Model model;
  optim::SGD optimizer(model, {.lr = 0.1});
  expect_close(train(model, optimizer),
               expected([](bool) { return [](double p, double g, int) { return p - 0.1 * g; }; }));
}

TEST(SGD, Momentum) {
  for (const bool nesterov : {false, true}) {
    Model model;
    optim::SGD optimizer(model, {.lr = 0.1, .momentum = 0.9, .nesterov = nesterov, .weight_decay = 0.01});
    expect_close(train(model, optimizer), expected([&](bool) {
                   return [&, m = 0.0](double p, double g, int) mutable {
                     g += 0.01 * p;
                     m = 0.9 * m + g;
                     return p - 0.1 * (nesterov ? g + 0.9 * m : m);
                   };
                 }));
  }
}

struct Single {
  Parameter weight{ones({1})};
  void fields(auto&& field) { field("weight", weight); }
};

// As in PyTorch, the momentum starts with the first step that has a nonzero momentum.
TEST(SGD, MomentumThatIsSetLater) {
  Single model;
  optim::SGD optimizer(model, {.lr = 0.1});
  const auto step = [&] { optimizer.step(std::vector{ones({1})}); };
  step();
  EXPECT_EQ(state_dict(optimizer).size(), 1u) << "no state but the number of steps";
  optimizer.options().momentum = 0.5;
  step();
  step();
  EXPECT_NEAR(model.weight.tensor().item(), 1 - .1 - .1 - .15, 1e-6);
  EXPECT_EQ(state_dict(optimizer).size(), 2u);
}

TEST(SGD, MomentumThatIsSetLaterInACompiledStep) {
  Single model;
  optim::SGD optimizer(model, {.lr = 0.1});
  const auto step = compile([&](const Tensor& gradient) { optimizer.step(std::vector{gradient}); });
  for (int i = 0; i < 3; ++i) {
    if (i == 1) optimizer.options().momentum = 0.5;
    step(ones({1}));
    sync();
  }
  EXPECT_NEAR(model.weight.tensor().item(), 1 - .1 - .1 - .15, 1e-6);
}

TEST(RMSprop, MomentumThatIsSetLater) {
  Single model;
  optim::RMSprop optimizer(model, {.lr = 0.1, .alpha = 0});  // the direction is 1
  for (int i = 0; i < 3; ++i) {
    if (i == 1) optimizer.options().momentum = 0.5;
    optimizer.step(std::vector{ones({1})});
  }
  EXPECT_NEAR(model.weight.tensor().item(), 1 - .1 - .1 - .15, 1e-6);
}

// As in PyTorch, steps without momentum leave the momentum buffer unchanged.
template <class Optimizer>
void expect_momentum_waits(bool compiled) {
  clear_graph_cache();
  Single model;
  Optimizer optimizer(model, {.lr = 0.1, .momentum = 0.5});
  if constexpr (requires { optimizer.options().alpha; }) optimizer.options().alpha = 0;  // the direction is the sign
  const auto update = [&](const Tensor& gradient) { optimizer.step(std::vector{gradient}); };
  const auto step = compile(update);
  for (const auto& [momentum, gradient] : {std::pair{0.5, 1.0}, {0.0, -1.0}, {0.0, -1.0}, {0.5, 1.0}}) {
    optimizer.options().momentum = momentum;
    const Tensor g = ones({1}) * gradient;
    sync();
    compiled ? step(g) : update(g);
  }
  EXPECT_NEAR(model.weight.tensor().item(), 1 - .1 + .1 + .1 - .15, 1e-6);
  EXPECT_EQ(step.explain().compiles, compiled ? 1u : 0u);
}

TEST(SGD, MomentumThatIsOffForAWhile) {
  for (const bool compiled : {false, true}) expect_momentum_waits<optim::SGD>(compiled);
}

TEST(RMSprop, MomentumThatIsOffForAWhile) {
  for (const bool compiled : {false, true}) expect_momentum_waits<optim::RMSprop>(compiled);
}

double adam_step(double& m, double& v, double g, int t) {
  m = 0.9 * m + 0.1 * g;
  v = 0.99 * v + 0.01 * g * g;
  return 0.1 / (1 - std::pow(0.9, t)) * m / (std::sqrt(v) / std::sqrt(1 - std::pow(0.99, t)) + 1e-8);
}

TEST(Adam, WithDecayInTheGradient) {
  Model model;
  optim::Adam optimizer(model, {.lr = 0.1, .beta2 = 0.99, .weight_decay = 0.05});
  expect_close(train(model, optimizer), expected([](bool) {
                 return [m = 0.0, v = 0.0](double p, double g, int t) mutable {
                   return p - adam_step(m, v, g + 0.05 * p, t);
                 };
               }));
}

TEST(AdamW, WithDecayOfMatricesAlone) {
  Model model;
  optim::AdamW optimizer(model, {.lr = 0.1, .beta2 = 0.99, .weight_decay = 0.5, .decays = optim::is_matrix});
  expect_close(train(model, optimizer), expected([](bool matrix) {
                 return [=, m = 0.0, v = 0.0](double p, double g, int t) mutable {
                   return (matrix ? p * (1 - 0.1 * 0.5) : p) - adam_step(m, v, g, t);
                 };
               }));
}

TEST(Adagrad, DecaysItsRate) {
  Model model;
  optim::Adagrad optimizer(model, {.lr = 0.1, .lr_decay = 0.5});
  expect_close(train(model, optimizer), expected([](bool) {
                 return [s = 0.0](double p, double g, int t) mutable {
                   s += g * g;
                   return p - 0.1 / (1 + (t - 1) * 0.5) * g / (std::sqrt(s) + 1e-10);
                 };
               }));
}

TEST(Optimizer, OneProgramForAllStepsAndRates) {
  Model model;
  optim::AdamW optimizer(model);
  const auto step = [&](double lr) {
    optimizer.set_lr(lr);
    const Tensor loss = sum(square(model.weight * 2 + model.bias));
    optimizer.step(grad(loss, optimizer.parameters()));
    sync();
  };
  step(0.1);
  const auto copies = device().stats().donation_copies;
  for (const double lr : {0.2, 0.0, 1.0, 1e-8}) {
    step(lr);
    EXPECT_FALSE(last_sync().compiled) << lr;
  }
  EXPECT_EQ(last_sync().donatable, 7u)
      << "two parameters with two moments each, and the number of the step, are updated in place";
  EXPECT_EQ(device().stats().donation_copies, copies);
}

TEST(Optimizer, ResumesFromItsState) {
  Model a, b;
  optim::AdamW first(a, {.lr = 0.1}), second(b, {.lr = 0.1});
  train(a, first);
  load_state_dict(b, state_dict(a));
  load_state_dict(second, state_dict(first));
  EXPECT_EQ(state_dict(second).at("step").item<int>(), 3);
  EXPECT_TRUE(state_dict(second).contains("weight.exp_avg_sq"));
  EXPECT_EQ(train(a, first), train(b, second));
}

TEST(Optimizer, LeavesFrozenParametersAlone) {
  Model model;
  model.bias.requires_grad = false;
  optim::SGD optimizer(model, {.lr = 1});
  EXPECT_EQ(optimizer.parameters().size(), 1u);
  optimizer.step(std::vector{ones({1, 2}, DType::f64)});
  expect_values(model.weight, {1, 2}, {0, -3});
  expect_values(model.bias, {1}, {0.5});
}

TEST(Optimizer, UpdatesHalvesInSingles) {
  Half model;
  optim::SGD optimizer(model, {.lr = 0.5});
  optimizer.step(std::vector{ones({4}, DType::bf16)});
  EXPECT_EQ(model.weight.dtype(), DType::bf16);
  expect_values(model.weight, {4}, {0.5, 0.5, 0.5, 0.5});
}

TEST(Optimizer, Errors) {
  Model model;
  optim::SGD optimizer(model);
  expect_error([&] { optimizer.step(std::vector{ones({1, 2})}); },
               "Optimizer.step: 1 gradients for 2 parameters that require gradients");
  expect_error([&] { optimizer.step(std::vector{ones({2}), ones({1})}); },
               "Optimizer.step: the gradient of weight is tensor<2xf32>, the parameter tensor<1x2xf64>");
  expect_error([&] { optim::SGD(model, {.nesterov = true}); }, "SGD: nesterov needs a momentum");
}

TEST(Clip, ScalesToTheNorm) {
  const std::vector<Tensor> gradients{tensor({3.f}), tensor({0.f, 4.f})};
  const optim::Clipped clipped = optim::clip_grad_norm(gradients, 1.0), whole = optim::clip_grad_norm(gradients, 10.0);
  expect_values(clipped.norm, {}, {5}, 1e-6);
  expect_values(clipped.gradients[0], {1}, {0.6}, 1e-6);
  expect_values(clipped.gradients[1], {2}, {0, 0.8}, 1e-6);
  expect_values(whole.gradients[1], {2}, {0, 4});
}

TEST(Clip, HasAGradientWhereAllGradientsAreZero) {
  const Tensor x = zeros({2});
  expect_values(grad(sum(optim::clip_grad_norm(std::vector{x * 3}, 1.0).gradients[0]), x), {2}, {3, 3});
}

TEST(Training, AMultilayerPerceptronLearnsXor) {
  manual_seed(1);
  nn::Sequential model(nn::Linear(2, 8), [](const Tensor& x) { return tanh(x); }, nn::Linear(8, 2));
  const Tensor x = tensor({{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}}), y = tensor({0, 1, 1, 0});
  optim::AdamW optimizer(model, {.lr = 0.05});
  Tensor loss;
  double first = 0;
  for (int step = 0; step < 150; ++step) {
    loss = cross_entropy(model(x), y);
    optimizer.step(grad(loss, optimizer.parameters()));
    sync();
    if (step == 0) first = loss.item();
  }
  EXPECT_NEAR(first, std::log(2), 0.3);
  EXPECT_LT(loss.item(), 0.02);
}

TEST(RMSprop, PlainAndWithMomentum) {
  for (const double momentum : {0.0, 0.9}) {
    Model model;
    optim::RMSprop optimizer(model, {.lr = 0.1, .alpha = 0.9, .momentum = momentum, .weight_decay = 0.01});
    expect_close(train(model, optimizer), expected([&](bool) {
                   return [&, v = 0.0, m = 0.0](double p, double g, int) mutable {
                     g += 0.01 * p;
                     v = 0.9 * v + 0.1 * g * g;
                     m = momentum * m + g / (std::sqrt(v) + 1e-8);
                     return p - 0.1 * m;
                   };
                 }));
  }
}

TEST(Lion, TakesTheSign) {
  Model model;
  optim::Lion optimizer(model, {.lr = 0.1, .weight_decay = 0.5, .decays = optim::is_matrix});
  expect_close(train(model, optimizer), expected([&](bool decays) {
                 return [&, decays, m = 0.0](double p, double g, int) mutable {
                   const double c = 0.9 * m + 0.1 * g;
                   m = 0.99 * m + 0.01 * g;
                   return p * (decays ? 1 - 0.1 * 0.5 : 1) - 0.1 * (c > 0 ? 1 : -1);
                 };
               }));
}

TEST(LAMB, ScalesStepsToTheSizeOfTheParameter) {
  Model model;
  optim::LAMB optimizer(model, {.lr = 0.1, .beta2 = 0.99, .weight_decay = 0.05});
  Doubles value{1, -2, 0.5}, m(3), v(3);
  for (int t = 1; t <= 3; ++t) {
    Doubles direction(3);
    for (std::size_t i = 0; i < 3; ++i) {
      const double g = gradients_of_steps()[t - 1][i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.99 * v[i] + 0.01 * g * g;
      direction[i] =
          m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.99, t))) + 1e-6) + 0.05 * value[i];
    }
    const double weight = std::hypot(value[0], value[1]) / std::hypot(direction[0], direction[1]);
    const double bias = std::abs(value[2]) / std::abs(direction[2]);
    for (std::size_t i = 0; i < 3; ++i) value[i] -= 0.1 * (i < 2 ? weight : bias) * direction[i];
  }
  expect_close(train(model, optimizer), value);

  Zero zero;  // a parameter that starts at zero changes
  optim::LAMB from_zero(zero);
  from_zero.step(std::vector{ones({4})});
  EXPECT_LT(zero.weight.tensor().to_vector<float>()[0], 0);
}

TEST(Optimizer, NumbersMayChangeBetweenSteps) {
  const auto train_with = [](double beta1, bool changed) {
    Model model;
    optim::AdamW optimizer(model, {.lr = 0.1, .beta1 = changed ? 0.5 : beta1});
    optimizer.options().beta1 = beta1;
    return train(model, optimizer);
  };
  EXPECT_EQ(train_with(0.9, true), train_with(0.9, false));
}

TEST(Optimizer, OptionsThatMakeNoSense) {
  Model model;
  expect_error([&] { optim::SGD(model, {.lr = -1}); }, "SGD: lr must be a number, at least 0, got -1");
  expect_error([&] { optim::AdamW(model, {.beta2 = 1}); }, "AdamW: beta2 must lie in [0, 1), got 1");
  expect_error([&] { optim::Adam(model, {.lr = std::nan("")}); }, "Adam: lr must be a number, at least 0, got nan");
  expect_error([&] { optim::Adagrad(model, {.epsilon = -1}); },
               "Adagrad: epsilon must be a number, at least 0, got -1");
  expect_error([&] { optim::RMSprop(model, {.alpha = 2}); }, "RMSprop: alpha must lie in [0, 1), got 2");
  expect_error([&] { optim::Lion(model, {.weight_decay = -1}); },
               "Lion: weight_decay must be a number, at least 0, got -1");
}

TEST(ClipGradValue, LimitsEveryElement) {
  const auto clipped = optim::clip_grad_value(std::vector{tensor({-3.f, 0.5f}), tensor({2., -0.5})}, 1);
  expect_values(clipped[0], {2}, {-1, 0.5});
  expect_values(clipped[1], {2}, {1, -0.5});
}

TEST(ForeachMap, AppliesToEveryElement) {
  const std::vector<Tensor> a{tensor({1.f, 2.f}), tensor({3.f})};
  const std::vector<Parameter> b{Parameter(tensor({10.f, 20.f})), Parameter(tensor({30.f}))};
  const auto sums = foreach_map([](const Tensor& x, const Tensor& y) { return x + y; }, a, b);
  expect_values(sums[0], {2}, {11, 22});
  expect_values(sums[1], {1}, {33});
  expect_error([&] { foreach_map([](const Tensor& x, const Tensor&) { return x; }, a, std::vector{a[0]}); },
               "foreach_map: the lists differ in length: 2, 1");
}

// As for two models that are trained against each other: the loss of the second reads the updated first one.
TEST(Optimizer, NoGradientPassesThroughAnUpdate) {
  Model first, second;
  optim::SGD optimizer(first, {.lr = 0.5});
  const auto loss = [&] { return sum(first.weight * second.weight) + sum(first.bias); };
  optimizer.step(grad(loss(), optimizer.parameters()));  // its gradient with respect to first.weight is second.weight
  expect_values(grad(loss(), second.weight), {1, 2}, {0.5, -1});
}

}  // namespace
}  // namespace weft
