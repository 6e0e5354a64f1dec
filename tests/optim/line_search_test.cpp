// L-BFGS with a line search. The expected values are those of torch.optim.LBFGS(line_search_fn="strong_wolfe") with the same options.
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

struct Valley {
  explicit Valley(DType dtype = DType::f64) : x(tensor({-1.2, 1.0}, dtype)) {}
  Tensor loss() const {  // Rosenbrock's function
    const Tensor a = select(x, 0, 0), b = select(x, 0, 1), off = b - a * a, far = 1 - a;
    return 100 * off * off + far * far;
  }
  void fields(auto&& field) { field("x", x); }

  Parameter x;
};

TEST(LineSearch, TakesPyTorchsSteps) {
  Valley model;
  optim::LBFGS optimizer(model);
  int evaluations = 0;
  const auto loss = [&] {
    ++evaluations;
    return model.loss();
  };
  struct Step {
    double loss;
    Doubles x;
  };
  const std::vector<Step> steps = {{24.2, {-1.02887953483, 1.06550295168}},
                                   {4.121126775765638, {-0.943127801208, 0.852966272541}},
                                   {3.9091442795206377, {-0.516027772885, 0.22654582579}},
                                   {2.456257721580502, {-0.256004845118, 0.0372274952451}},
                                   {1.6576993608388542, {0.21573065295, 0.0665215695075}},
                                   {0.6550058611893452, {0.38001654949, 0.124489556541}}};
  for (const Step& expected : steps) {
    EXPECT_NEAR(optimizer.step(loss, {.max_iter = 4}).item(), expected.loss, 1e-8);
    expect_values(model.x, {2}, expected.x, 1e-8);
  }
  EXPECT_EQ(evaluations, 30);
}

TEST(LineSearch, FindsTheMinimumInOneStep) {
  Valley model;
  optim::LBFGS optimizer(model);
  int evaluations = 0;
  const auto loss = [&] {
    ++evaluations;
    return model.loss();
  };
  optimizer.step(loss, {.max_iter = 100});
  expect_values(model.x, {2}, {0.999999333408, 0.999998674382}, 1e-8);
  EXPECT_EQ(evaluations, 44);
  // Where the slope is less than tolerance_change, nothing moves.
  const Doubles there = model.x.tensor().to_vector<double>();
  optimizer.step(loss);
  expect_values(model.x, {2}, there);
  Valley narrow(DType::f32);
  optim::LBFGS of_narrow(narrow);
  of_narrow.step([&] { return narrow.loss(); }, {.max_iter = 100});
  expect_values(narrow.x, {2}, {1, 1}, 1e-3);
}

struct Fit {
  Parameter weight{zeros({3}, DType::f64)}, bias{zeros({1}, DType::f64)};
  Tensor loss() const {
    const Tensor rows = from_vector<double>({1, 2, 0, -1, 3, 1, 2, -2, 1, 0, 1, 4, 3, 1, -1}, {5, 3});
    const Tensor error = matmul(rows, weight) + bias - tensor({1., -2., 3., 0.5, 2.}, DType::f64);
    return sum(error * error);
  }
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

TEST(LineSearch, SolvesLeastSquares) {
  Fit model;
  optim::LBFGS optimizer(model, {.lr = 0.5, .history = 3});
  int evaluations = 0;
  const Tensor before = optimizer.step([&] {
    ++evaluations;
    return model.loss();
  });
  EXPECT_EQ(before.item(), 18.25);
  EXPECT_EQ(evaluations, 21);
  expect_values(model.weight, {3}, {0.874878967634, -0.408480981987, 0.158187826085}, 1e-8);
  expect_values(model.bias, {1}, {0.275293956927}, 1e-8);
  EXPECT_NEAR(model.loss().item(), 0.6666669473408274, 1e-10);
  // The two kinds of steps share their history.
  optimizer.step(grad(model.loss(), optimizer.parameters()));
  optimizer.step([&] { return model.loss(); });
  expect_values(model.weight, {3}, {0.875, -0.408333333333, 0.158333333333}, 1e-4);
}

TEST(LineSearch, Mistakes) {
  Valley model;
  optim::LBFGS optimizer(model), decaying(model, {.weight_decay = 0.1});
  expect_error([&] { decaying.step([&] { return model.loss(); }); },
               "LBFGS: a line search does not know of the weight decay: add it to the loss");
  expect_error([&] { optimizer.step([&] { return model.x.tensor(); }); },
               "LBFGS: the loss must be one number, got tensor<2xf64>");
  expect_error([&] { optimizer.step([&] { return model.loss(); }, {.max_iter = 0}); },
               "LBFGS: expected at least one iteration and evaluation, got 0 and 1");
  // A loss that throws during the search leaves the parameters as they were.
  int calls = 0;
  EXPECT_THROW(optimizer.step([&] { return ++calls == 3 ? throw Error("no loss") : model.loss(); }), Error);
  expect_values(model.x, {2}, {-1.2, 1});
  optimizer.step([&] { return model.loss(); }, {.max_iter = 100});
  expect_values(model.x, {2}, {1, 1}, 1e-4);
}

}  // namespace
}  // namespace weft
