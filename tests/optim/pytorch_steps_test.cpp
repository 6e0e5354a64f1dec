// Twenty steps of optimizers against those of PyTorch 2.14.
#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;

struct Three {
  Parameter weight{tensor({{1.0, -2.0}}, DType::f64)};
  Parameter bias{tensor({0.5}, DType::f64)};
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

std::vector<Tensor> gradients_of_step(int t) {
  return {from_vector<double>({std::sin(1.3 * t), std::cos(0.7 * t) * t / 10}, {1, 2}),
          from_vector<double>({0.3 - 0.05 * t}, {1})};
}

template <class O>
Three trained(auto options) {
  Three model;
  O optimizer(model, options);
  const auto step =
      compile([&](const Tensor& weight, const Tensor& bias) { optimizer.step(std::vector{weight, bias}); });
  for (int t = 1; t <= 20; ++t) {
    const std::vector<Tensor> g = gradients_of_step(t);
    step(g[0], g[1]);
  }
  sync();
  return model;
}

void expect_parameters(const Three& model, const Doubles& expected) {
  test::expect_values(model.weight, {1, 2}, {expected[0], expected[1]}, 1e-13);
  test::expect_values(model.bias, {1}, {expected[2]}, 1e-13);
}

TEST(TwentySteps, AreThoseOfPyTorch) {
  expect_parameters(trained<optim::Adadelta>(optim::AdadeltaOptions{.lr = 0.5, .weight_decay = 0.1}),
                    {0.9957303578065072, -1.990442319802985, 0.5208699802567808});
  expect_parameters(trained<optim::Adam>(optim::AdamOptions{.lr = 0.1, .weight_decay = 0.1, .amsgrad = true}),
                    {0.5488873203985354, -1.132212205756605, 0.6059116701747084});
  expect_parameters(
      trained<optim::AdamW>(optim::AdamWOptions{.lr = 0.1, .beta2 = 0.5, .weight_decay = 0.1, .amsgrad = true}),
      {0.5926438981200254, -1.66624250311413, 0.3630822680130683});
  expect_parameters(trained<optim::Adamax>(optim::AdamaxOptions{.lr = 0.1, .weight_decay = 0.1}),
                    {0.6362432869232665, -1.39422134399254, 0.403228821249943});
  expect_parameters(trained<optim::NAdam>(optim::NAdamOptions{.lr = 0.1, .weight_decay = 0.1}),
                    {0.7192818477810573, -1.468883755773636, 1.448472377594652});
  expect_parameters(trained<optim::NAdam>(optim::NAdamOptions{
                        .lr = 0.1, .momentum_decay = 0.5, .weight_decay = 0.1, .decoupled_weight_decay = true}),
                    {0.7211754685341302, -1.736977977696558, 1.376917923662474});
  expect_parameters(trained<optim::NAdam>(optim::NAdamOptions{.lr = 0.1, .momentum_decay = 0}),
                    {0.8890969108754888, -2.138023103512216, 1.64771512238517});
  expect_parameters(trained<optim::RAdam>(optim::RAdamOptions{.lr = 0.1, .weight_decay = 0.1}),
                    {0.7670464791430149, -1.854892459029248, 0.4190084998280098});
  expect_parameters(trained<optim::RAdam>(optim::RAdamOptions{
                        .lr = 0.1, .beta2 = 0.99, .weight_decay = 0.1, .decoupled_weight_decay = true}),
                    {0.6650719152837167, -1.62306856715538, 0.4852063171333493});
  expect_parameters(trained<optim::Rprop>(optim::RpropOptions{.lr = 0.1}),
                    {0.7778699999999998, -2.241894187008, 5.893273320221309});
  expect_parameters(trained<optim::ASGD>(optim::ASGDOptions{.lr = 0.1, .lambd = 0.01, .t0 = 5, .weight_decay = 0.1}),
                    {0.7537953984815052, -1.872395326939058, 0.8352481389433932});
}

TEST(TwentySteps, OfASGDLeaveTheAverage) {
  Three model;
  optim::ASGD optimizer(model, {.lr = 0.1, .lambd = 0.01, .t0 = 5, .weight_decay = 0.1});
  for (int t = 1; t <= 20; ++t) optimizer.step(gradients_of_step(t));
  const StateDict state = state_dict(optimizer);
  test::expect_values(state.at("weight.ax"), {1, 2}, {0.8084551750928219, -1.7340690314988791}, 1e-13);
  test::expect_values(state.at("bias.ax"), {1}, {0.556364798583333}, 1e-13);
}

TEST(TwentySteps, RefuseBadOptions) {
  Three model;
  expect_error([&] { optim::Adadelta(model, {.rho = 1}); }, "Adadelta: rho must lie in [0, 1), got 1");
  expect_error([&] { optim::Rprop(model, {.eta_plus = 0.5}); },
               "Rprop: eta_plus must be a number, at least 1, got 0.5");
}

}  // namespace
}  // namespace weft
