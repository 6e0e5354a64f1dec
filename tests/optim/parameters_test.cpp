// The parameters that an optimizer updates: those of a moved model, and those that currently require gradients.
#include <memory>
#include <optional>

#include <gmock/gmock.h>

#include <weft/base/log.h>
#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using testing::HasSubstr;

struct Pair {
  Parameter first{tensor({1.0}, DType::f64)}, second{tensor({2.0}, DType::f64)};
  Tensor loss() const { return sum(square(first * 3)) + sum(square(second)); }
  void fields(auto&& field) {
    field("first", first);
    field("second", second);
  }
};

Doubles values(const Pair& model) { return {model.first.tensor().item(), model.second.tensor().item()}; }

void step(const Tensor& loss, optim::Optimizer& optimizer) {
  optimizer.step(grad(loss, optimizer.parameters()));
  sync();
}

Pair trained_in_place(int steps) {
  Pair model;
  optim::Adam optimizer(model, {.lr = 0.1});
  for (int i = 0; i < steps; ++i) step(model.loss(), optimizer);
  return model;
}

struct Stack {
  std::vector<Pair> layers;
  Tensor loss() const {
    Tensor sum = constant(0, DType::f64);
    for (const Pair& layer : layers) sum = sum + layer.loss();
    return sum;
  }
  void fields(auto&& field) { field("layers", layers); }
};

TEST(OptimizerFollows, AVectorThatGrows) {
  Stack stack;
  stack.layers.resize(1);
  optim::Adam optimizer(stack, {.lr = 0.1});
  step(stack.loss(), optimizer);
  for (int i = 0; i < 10; ++i) stack.layers.emplace_back();
  step(stack.layers[0].loss(), optimizer);
  EXPECT_EQ(values(stack.layers[0]), values(trained_in_place(2)));
  EXPECT_EQ(values(stack.layers[1]), (Doubles{1, 2})) << "which the optimizer was not made for";
}

struct Training {
  Pair model;
  std::optional<optim::Adam> optimizer;
};

Training make_training(bool early) {
  Training training;
  training.optimizer.emplace(training.model, optim::AdamOptions{.lr = 0.1});
  if (early) return training;
  Training other = std::move(training);
  return other;
}

TEST(OptimizerFollows, StructsReturnedByValue) {
  for (const bool early : {true, false}) {
    Training training = make_training(early);
    for (int i = 0; i < 3; ++i) step(training.model.loss(), *training.optimizer);
    EXPECT_EQ(values(training.model), values(trained_in_place(3)));
  }
}

TEST(OptimizerFollows, SwappedModels) {
  Pair a, b;
  optim::Adam optimizer(a, {.lr = 0.1});
  std::swap(a, b);
  step(b.loss(), optimizer);
  EXPECT_EQ(values(b), values(trained_in_place(1)));
  EXPECT_EQ(values(a), (Doubles{1, 2}));
}

TEST(OptimizerFollows, ACompiledStepWhoseModelMoves) {
  Stack stack;
  stack.layers.resize(1);
  optim::Adam optimizer(stack, {.lr = 0.1});
  const auto train = compile([&] { optimizer.step(grad(stack.layers[0].loss(), optimizer.parameters())); });
  for (int i = 0; i < 6; ++i) {
    train();
    if (i % 2 == 0) stack.layers.resize(2 * stack.layers.capacity());
  }
  EXPECT_EQ(values(stack.layers[0]), values(trained_in_place(6)));
}

TEST(OptimizerFollows, AModelMovedIntoAnotherPlaceThatLives) {
  Pair first;
  optim::Adam optimizer(first, {.lr = 0.1});
  Pair* model = &first;
  const auto train = compile([&] { optimizer.step(grad(model->loss(), optimizer.parameters())); });
  train();
  train();
  Pair second = std::move(first);
  model = &second;
  train();
  EXPECT_EQ(values(second), values(trained_in_place(3)));
}

TEST(OptimizerFollows, NotIntoCopies) {
  Pair model;
  optim::SGD optimizer(model, {.lr = 0.1});
  Pair copy = model;
  step(model.loss(), optimizer);
  EXPECT_EQ(values(copy), (Doubles{1, 2}));
  copy = model;
  step(model.loss(), optimizer);
  EXPECT_NE(values(copy), values(model));
  model = Pair();  // new values for the same parameters
  EXPECT_EQ(values(model), (Doubles{1, 2}));
  step(model.loss(), optimizer);
  EXPECT_NEAR(values(model)[1], 1.6, 1e-12);
}

std::string ended(const char* function) {
  return concat(
      function,
      ": first was destroyed: the model of this optimizer no longer exists, or another one was moved into its place; "
      "keep it as long as the optimizer makes steps, or make a new optimizer");
}

TEST(OptimizerOfAnEndedModel, SaysSo) {
  auto model = std::make_unique<Pair>();
  optim::AdamW optimizer(*model);
  const std::vector<Tensor> gradients{ones({1}, DType::f64), ones({1}, DType::f64)};
  const auto train = compile([&] { optimizer.step(gradients); });
  train();
  model.reset();
  expect_error([&] { optimizer.step(gradients); }, ended("Optimizer.step"));
  expect_error([&] { optimizer.parameters(); }, ended("Optimizer.parameters"));
  expect_error([&] { train(); }, ended("Optimizer.step"));
  EXPECT_EQ(state_dict(optimizer).size(), 5u) << "which can still be saved";
}

TEST(OptimizerOfAnEndedModel, LoadsNoState) {
  Pair trained;
  optim::AdamW saved(trained);
  step(trained.loss(), saved);
  auto model = std::make_unique<Pair>();
  model->first.requires_grad = false;  // a load would create its state
  optim::AdamW optimizer(*model);
  model.reset();
  expect_error([&] { load_state_dict(optimizer, state_dict(saved)); }, ended("load_state_dict"));
}

TEST(OptimizerOfAnEndedModel, AnotherWithItsOwnOptimizerWasMovedIntoItsPlace) {
  Pair a, b;
  optim::Adam of_a(a), of_b(b, {.lr = 0.1});
  a = std::move(b);
  step(a.loss(), of_b);
  EXPECT_EQ(values(a), values(trained_in_place(1)));
  expect_error([&] { of_a.parameters(); }, ended("Optimizer.parameters"));
}

struct Tied {
  nn::Embedding embedding{10, 4};
  nn::Linear head{4, 10, false};
  Parameter zero{zeros({3, 3})}, other_zero{zeros({3, 3})};
  void fields(auto&& field) {
    field("embedding", embedding);
    field("head", head);
    field("zero", zero);
    field("other_zero", other_zero);
  }
};

TEST(CopiedParameters, AreToldOf) {
  for (const bool is_copied : {false, true})
    for (const bool is_computed : {false, true}) {
      Tied model;
      if (is_copied) model.head.weight = model.embedding.weight;
      if (is_computed) sync();
      std::vector<std::string> said;
      logging::set_sink([&](logging::Channel, std::string_view message) { said.emplace_back(message); });
      const optim::SGD optimizer(model);
      logging::set_sink({});
      ASSERT_EQ(said.size(), is_copied ? 1u : 0u);
      if (!is_copied) continue;
      EXPECT_THAT(said[0], HasSubstr("head.weight is a copy of embedding.weight; each is trained by itself"));
    }
}

// Adam for one number, with its own count of steps.
class Reference {
 public:
  explicit Reference(double value) : value_(value) {}
  void step(double gradient) {
    ++steps_;
    average_ += 0.1 * (gradient - average_);
    square_ = 0.999 * square_ + 0.001 * gradient * gradient;
    value_ -=
        0.1 * (average_ / (1 - std::pow(0.9, steps_))) / (std::sqrt(square_ / (1 - std::pow(0.999, steps_))) + 1e-8);
  }
  double value() const { return value_; }

 private:
  double value_, average_ = 0, square_ = 0;
  int steps_ = 0;
};

// Whether each parameter is trained, for each step.
using Plan = std::vector<std::pair<bool, bool>>;

const Plan& thawed_twice() {
  static const Plan plan{{true, false}, {true, true}, {true, false}, {false, true}, {true, true}, {true, false},
                         {true, true},  {true, true}, {false, true}, {true, true},  {true, true}};
  return plan;
}

Doubles values_after(const Plan& plan) {
  Reference first(1), second(2);
  for (const auto& [trains_first, trains_second] : plan) {
    const double a = 18 * first.value(), b = 2 * second.value();
    if (trains_first) first.step(a);
    if (trains_second) second.step(b);
  }
  return {first.value(), second.value()};
}

void expect_values_near(const Doubles& actual, const Doubles& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(actual[i], wanted[i], 1e-7) << i;
}

void set(Pair& model, const std::pair<bool, bool>& trains) {
  model.first.requires_grad = trains.first;
  model.second.requires_grad = trains.second;
}

TEST(FrozenParameters, BetweenSteps) {
  for (const bool is_compiled : {false, true})
    for (const bool at_first : {false, true}) {
      Pair model;
      if (at_first) set(model, thawed_twice()[0]);
      optim::Adam optimizer(model, {.lr = 0.1});
      const auto update = [&] { optimizer.step(grad(model.loss(), optimizer.parameters())); };
      const auto train = compile(update);
      for (const auto& trains : thawed_twice()) {
        set(model, trains);
        is_compiled ? train() : update();
        sync();
      }
      expect_values_near(values(model), values_after(thawed_twice()));
    }
}

TEST(FrozenParameters, CompileOnceForEachSetOnceTheStateIsThere) {
  Pair model;
  optim::Adam optimizer(model, {.lr = 0.1});
  const auto train = compile([&] { optimizer.step(grad(model.loss(), optimizer.parameters())); });
  Plan plan;
  std::uint64_t compiles = 0;
  for (int round = 0; round < 6; ++round) {
    if (round == 3) compiles = train.explain().compiles;
    for (const bool trains : {true, false}) {
      plan.insert(plan.end(), 2, {true, trains});
      model.second.requires_grad = trains;
      for (int i = 0; i < 2; ++i) train();
    }
  }
  EXPECT_EQ(train.explain().compiles, compiles);
  EXPECT_LE(compiles, 5u);
  expect_values_near(values(model), values_after(plan));
}

TEST(FrozenParameters, HaveNoStateBeforeTheyTakePart) {
  Pair model;
  model.second.requires_grad = false;
  optim::AdamW optimizer(model);
  EXPECT_FALSE(state_dict(optimizer).contains("second.exp_avg"));
  step(model.loss(), optimizer);
  EXPECT_EQ(optimizer.parameters(), std::vector<Parameter*>{&model.first});
  model.second.requires_grad = true;
  EXPECT_EQ(optimizer.parameters().size(), 2u);
  step(model.loss(), optimizer);
  EXPECT_TRUE(state_dict(optimizer).contains("second.exp_avg"));
}

TEST(FrozenParameters, ResumeAtAnyStep) {
  for (std::size_t stop = 0; stop < thawed_twice().size(); ++stop) {
    std::optional<Pair> model(std::in_place);
    std::optional<optim::Adam> optimizer(std::in_place, *model, optim::AdamOptions{.lr = 0.1});
    for (std::size_t i = 0; i < thawed_twice().size(); ++i) {
      set(*model, thawed_twice()[i]);
      step(model->loss(), *optimizer);
      if (i != stop) continue;
      const StateDict saved = state_dict(*model), state = state_dict(*optimizer);
      optimizer.reset();
      model.emplace();
      load_state_dict(*model, saved);
      optimizer.emplace(*model, optim::AdamOptions{.lr = 0.1});
      load_state_dict(*optimizer, state);
    }
    expect_values_near(values(*model), values_after(thawed_twice()));
  }
}

TEST(FrozenParameters, GradientsOfOthersAreRefused) {
  Pair model;
  optim::SGD optimizer(model);
  const std::vector<Tensor> gradients = grad(model.loss(), optimizer.parameters());
  model.second.requires_grad = false;
  expect_error([&] { optimizer.step(gradients); },
               "Optimizer.step: 2 gradients for 1 parameters that require gradients");
  expect_error(
      [&] {
        model.first.requires_grad = false;
        optim::SGD of_nothing(model);
      },
      "Optimizer: the model has no parameters that require gradients");
}

}  // namespace
}  // namespace weft
