// Groups of parameters with rates, weight decay and freezing of their own, in every optimizer.
#include <memory>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;

struct Grouped {
  Parameter body{tensor({{1.0, -2.0}}, DType::f64)}, head{tensor({{1.0, -2.0}}, DType::f64)};
  Parameter bias{tensor({0.5}, DType::f64)};
  void fields(auto&& field) {
    field("body.weight", body);
    field("head.weight", head);
    field("head.bias", bias);
  }
};

using MakeOptimizer = std::function<std::unique_ptr<optim::Optimizer>(Grouped&, std::vector<optim::Group>)>;

template <class O, class Options>
MakeOptimizer maker(Options options) {
  return [=](Grouped& model, std::vector<optim::Group> groups) {
    return std::make_unique<O>(model, options, std::move(groups));
  };
}

std::vector<MakeOptimizer> all_optimizers(double lr, double decay) {
  using namespace optim;
  return {maker<SGD>(SGDOptions{.lr = lr, .momentum = 0.9, .weight_decay = decay}),
          maker<Adam>(AdamOptions{.lr = lr, .weight_decay = decay}),
          maker<AdamW>(AdamWOptions{.lr = lr, .weight_decay = decay}),
          maker<Adagrad>(AdagradOptions{.lr = lr, .weight_decay = decay}),
          maker<Adafactor>(AdafactorOptions{.lr = lr, .weight_decay = decay}),
          maker<LAMB>(LAMBOptions{.lr = lr, .weight_decay = decay}),
          maker<Lion>(LionOptions{.lr = lr, .weight_decay = decay}),
          maker<Muon>(MuonOptions{.lr = lr, .weight_decay = decay}),
          maker<RMSprop>(RMSpropOptions{.lr = lr, .weight_decay = decay}),
          maker<RowWiseAdagrad>(RowWiseAdagradOptions{.lr = lr, .weight_decay = decay}),
          maker<PartialRowWiseAdam>(PartialRowWiseAdamOptions{.lr = lr, .weight_decay = decay})};
}

void two_steps(Grouped&, optim::Optimizer& optimizer) {
  for (const double size : {1.0, -0.5}) {
    std::vector<Tensor> gradients;
    for (const Parameter* parameter : optimizer.parameters())
      gradients.push_back(parameter->shape().size() == 2 ? tensor({{0.3 * size, -0.7}}, DType::f64)
                                                         : tensor({0.2 * size}, DType::f64));
    optimizer.step(gradients);
  }
}

Doubles values_of(const Parameter& parameter) { return parameter.tensor().to_vector<double>(); }

// A group's parameters are updated as by an optimizer with the group's numbers, whatever the optimizer.
TEST(Groups, HaveRatesAndDecaysInEveryOptimizer) {
  const auto grouped = all_optimizers(0.02, 0.1), of_body = all_optimizers(0.01, 0.3),
             plain = all_optimizers(0.02, 0.1);
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    Grouped model, slow, fast;
    const auto optimizer = grouped[i](model, {{.names = "body.*", .lr_factor = 0.5, .decay_factor = 3}});
    const auto slow_optimizer = of_body[i](slow, {}), fast_optimizer = plain[i](fast, {});
    two_steps(model, *optimizer);
    two_steps(slow, *slow_optimizer);
    two_steps(fast, *fast_optimizer);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(values_of(model.body)[k], values_of(slow.body)[k], 1e-14) << i;
    EXPECT_EQ(values_of(model.head), values_of(fast.head)) << i;
    EXPECT_EQ(values_of(model.bias), values_of(fast.bias)) << i;
    EXPECT_NE(values_of(model.body), values_of(fast.body)) << i;
  }
}

TEST(Groups, TheFirstPatternCounts) {
  Grouped model;
  optim::SGD optimizer(model, {.lr = 1},
                       {{.names = "head.bias", .lr_factor = 0.5}, {.names = "head.*", .lr_factor = 0}});
  optimizer.step(std::vector{ones({1, 2}, DType::f64), ones({1, 2}, DType::f64), ones({1}, DType::f64)});
  EXPECT_EQ(values_of(model.body), (Doubles{0, -3}));
  EXPECT_EQ(values_of(model.head), (Doubles{1, -2}));
  EXPECT_EQ(values_of(model.bias), (Doubles{0}));
}

TEST(Groups, PatternsThatMatchNothing) {
  Grouped model;
  expect_error([&] { optim::AdamW(model, {}, {{.names = "heads.*"}}); }, "AdamW: no parameter's name matches heads.*");
  expect_error(
      [&] { optim::SGD(model, {}, {{.names = "head.*"}, {.names = "*.bias"}}); },
      "SGD: every parameter that matches *.bias is matched by an earlier pattern, such as head.bias by head.*");
  expect_error([&] { optim::SGD(model, {}, {{.names = "head.*", .lr_factor = -1}}); },
               "SGD: lr_factor of head.* must be a number, at least 0, got -1");
  expect_error([&] { optim::SGD(model, {}, {{.names = "*", .frozen = true}}); },
               "Optimizer: the model has no parameters that require gradients outside of frozen groups");
}

// Freezing one group and thawing it later, in a compiled step: rates change without a recompile.
TEST(Groups, MayChangeBetweenCompiledSteps) {
  Grouped model;
  optim::SGD optimizer(model, {.lr = 1}, {{.names = "body.*", .frozen = true}, {.names = "*.bias", .lr_factor = 0.5}});
  const auto step = compile([&] {
    const Tensor loss = sum(model.body) + sum(model.head) + sum(model.bias);
    optimizer.step(grad(loss, optimizer.parameters()));
  });
  step();
  EXPECT_EQ(values_of(model.body), (Doubles{1, -2}));
  EXPECT_EQ(values_of(model.head), (Doubles{0, -3}));
  EXPECT_EQ(values_of(model.bias), (Doubles{0}));
  optimizer.groups()[1].lr_factor = 0.25;
  step();
  EXPECT_EQ(values_of(model.bias), (Doubles{-0.25}));
  EXPECT_EQ(step.explain().compiles, 1u);
  optimizer.groups()[0].frozen = false;
  step();
  EXPECT_EQ(values_of(model.body), (Doubles{0, -3}));
  EXPECT_EQ(values_of(model.head), (Doubles{-2, -5}));
}

// Two optimizers of one model, as for adversarial training, freeze what the other one trains.
TEST(Groups, OfTwoOptimizersDoNotDisturbEachOther) {
  Grouped model;
  optim::SGD of_body(model, {.lr = 1}, {{.names = "head.*", .frozen = true}});
  optim::SGD of_head(model, {.lr = 1}, {{.names = "body.*", .frozen = true}});
  EXPECT_EQ(of_body.parameters().size(), 1u);
  EXPECT_EQ(of_head.parameters().size(), 2u);
}

}  // namespace
}  // namespace weft
