// Adafactor, Muon and L-BFGS against their published formulas, computed by loops over numbers.
#include <algorithm>
#include <cmath>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

struct Layer2x3 {
  Parameter weight{tensor({{1.0, -2.0, 0.5}, {0.25, 3.0, -1.0}}, DType::f64)};
  Parameter bias{tensor({0.5, -1.5}, DType::f64)};
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

const Doubles gradient_of_weight{0.1, -0.4, 0.3, 0.7, -0.2, 0.9}, gradient_of_bias{0.6, -0.1};

std::vector<Tensor> gradients(double t) {
  const auto times = [&](Doubles values) {
    for (double& value : values) value *= 1 + 0.5 * t;
    return values;
  };
  return {from_vector(times(gradient_of_weight), {2, 3}), from_vector(times(gradient_of_bias), {2})};
}

double root_mean_square(const Doubles& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum / static_cast<double>(x.size()));
}

TEST(Adafactor, FactorsTheSecondMomentsOfMatrices) {
  Layer2x3 model;
  optim::Adafactor optimizer(model, {.lr = 0.5, .weight_decay = 0.1});
  Doubles weight = model.weight.tensor().to_vector<double>(), bias = model.bias.tensor().to_vector<double>();
  Doubles rows(2), columns(3), variance(2);
  const auto apply = [](Doubles& value, const Doubles& direction, int t) {
    const double step = std::max(1e-3, root_mean_square(value)) * std::min(0.5, 1 / std::sqrt(t));
    const double too_large = std::max(1.0, root_mean_square(direction));
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] = value[i] * (1 - 0.5 * 0.1) - step / too_large * direction[i];
  };
  for (int t = 1; t <= 3; ++t) {
    const std::vector<Tensor> g = gradients(t);
    optimizer.step(g);
    const Doubles gw = g[0].to_vector<double>(), gb = g[1].to_vector<double>();
    const double newest = std::pow(t, -0.8);
    for (double* r = rows.data(); r != rows.data() + 2; ++r) {
      const double* row = gw.data() + 3 * (r - rows.data());
      *r += newest * ((row[0] * row[0] + row[1] * row[1] + row[2] * row[2]) / 3 - *r);
    }
    for (std::size_t c = 0; c < 3; ++c)
      columns[c] += newest * ((gw[c] * gw[c] + gw[c + 3] * gw[c + 3]) / 2 - columns[c]);
    Doubles of_weight(6), of_bias(2);
    for (std::size_t i = 0; i < 6; ++i)
      of_weight[i] = gw[i] / std::sqrt(rows[i / 3] * columns[i % 3] / ((rows[0] + rows[1]) / 2));
    for (std::size_t i = 0; i < 2; ++i) {
      variance[i] += newest * (gb[i] * gb[i] - variance[i]);
      of_bias[i] = gb[i] / std::sqrt(variance[i]);
    }
    apply(weight, of_weight, t);
    apply(bias, of_bias, t);
  }
  expect_values(model.weight, {2, 3}, weight, 1e-13);
  expect_values(model.bias, {2}, bias, 1e-13);
  const StateDict state = state_dict(optimizer);
  EXPECT_EQ(state.at("weight.row_var").shape(), Shape{2});
  EXPECT_EQ(state.at("weight.col_var").shape(), Shape{3});
  EXPECT_EQ(state.at("bias.variance").shape(), Shape{2});
  EXPECT_EQ(state.size(), 4u);
}

TEST(Adafactor, KeepsLittleStateForLargeMatrices) {
  nn::Linear model(64, 32);
  optim::Adafactor optimizer(model);
  std::int64_t elements = 0;
  for (const auto& [name, value] : state_dict(optimizer)) elements += value.type().elements();
  EXPECT_EQ(elements, 1 + 64 + 32 + 32);
  optim::Adafactor other(model);
  load_state_dict(other, state_dict(optimizer));
}

using Matrix = std::vector<Doubles>;

Matrix product_of(const Matrix& a, const Matrix& b) {
  Matrix c(a.size(), Doubles(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

Matrix transposed(const Matrix& a) {
  Matrix t(a[0].size(), Doubles(a.size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
  return t;
}

Matrix newton_schulz(Matrix x) {  // of a matrix with at least as many columns as rows
  double norm = 0;
  for (const Doubles& row : x)
    for (const double value : row) norm += value * value;
  for (Doubles& row : x)
    for (double& value : row) value /= std::sqrt(norm);
  for (int i = 0; i < 5; ++i) {
    const Matrix gram = product_of(x, transposed(x));
    Matrix factor = product_of(gram, gram);
    for (std::size_t r = 0; r < gram.size(); ++r)
      for (std::size_t c = 0; c < gram.size(); ++c) factor[r][c] = -4.7750 * gram[r][c] + 2.0315 * factor[r][c];
    const Matrix added = product_of(factor, x);
    for (std::size_t r = 0; r < x.size(); ++r)
      for (std::size_t c = 0; c < x[0].size(); ++c) x[r][c] = 3.4445 * x[r][c] + added[r][c];
  }
  return x;
}

TEST(Muon, OrthogonalizesMatricesAndUpdatesTheRestAsAdamW) {
  Layer2x3 model, other;
  optim::Muon optimizer(model, {.lr = 0.1});
  optim::AdamW adam(other, {.lr = 0.1, .weight_decay = 0.1});
  Doubles weight = model.weight.tensor().to_vector<double>(), momentum(6);
  for (int t = 1; t <= 3; ++t) {
    const std::vector<Tensor> g = gradients(t);
    optimizer.step(g);
    adam.step(g);
    const Doubles gw = g[0].to_vector<double>();
    Matrix direction(2, Doubles(3));
    for (std::size_t i = 0; i < 6; ++i) {
      momentum[i] += 0.05 * (gw[i] - momentum[i]);
      direction[i / 3][i % 3] = gw[i] + 0.95 * (momentum[i] - gw[i]);
    }
    const Matrix orthogonal = newton_schulz(direction);
    for (std::size_t i = 0; i < 6; ++i) weight[i] = weight[i] * (1 - 0.1 * 0.1) - 0.1 * orthogonal[i / 3][i % 3];
  }
  expect_values(model.weight, {2, 3}, weight, 1e-12);
  EXPECT_EQ(model.bias.tensor().to_vector<double>(), other.bias.tensor().to_vector<double>());
  EXPECT_EQ(state_dict(optimizer).size(), 4u);
}

struct Tall {
  Parameter weight{zeros({4, 1}, DType::f64)};
  void fields(auto&& field) { field("weight", weight); }
};

TEST(Muon, ScalesStepsOfTallMatrices) {
  for (const bool matches : {false, true}) {
    Tall tall;
    optim::Muon optimizer(tall, {.lr = 0.1, .nesterov = false, .matches_adamw = matches});
    optimizer.step(std::vector{tensor({{3.0}, {0.0}, {0.0}, {4.0}}, DType::f64)});
    const Matrix orthogonal = newton_schulz({{3, 0, 0, 4}});
    const double scale = 0.1 * (matches ? 0.2 * 2 : 2);
    expect_values(tall.weight, {4, 1}, {-scale * orthogonal[0][0], 0, 0, -scale * orthogonal[0][3]}, 1e-13);
  }
}

TEST(Muon, LeavesOthersToAdamWByAPredicate) {
  Layer2x3 model, other;
  optim::Muon optimizer(model, {.orthogonalizes = [](const NamedParameter&) { return false; }});
  optim::AdamW adam(other, {.weight_decay = 0.1});
  optimizer.step(gradients(1));
  adam.step(gradients(1));
  EXPECT_EQ(model.weight.tensor().to_vector<double>(), other.weight.tensor().to_vector<double>());
}

struct Point {
  Parameter x{tensor({-1.0, 2.0, 0.5}, DType::f64)};
  Parameter y{tensor({1.5}, DType::f64)};
  // A quadratic form with eigenvalues from 1 to 100, and a term that is no square.
  Tensor loss() const {
    const Tensor scales = tensor({1.0, 10.0, 100.0}, DType::f64), near = x.tensor() - y.tensor();
    return sum(scales * near * near) + sum(pow(y.tensor() - constant(2, DType::f64), 4));
  }
  void fields(auto&& field) {
    field("x", x);
    field("y", y);
  }
};

// The two-loop recursion over whole vectors.
struct TwoLoop {
  std::vector<Doubles> steps, changes;
  Doubles last_step, last_gradient;
  std::size_t history;

  static double inner(const Doubles& a, const Doubles& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  Doubles step(const Doubles& gradient, double lr) {
    double rate = lr;
    Doubles q = gradient;
    if (last_step.empty()) {
      double magnitudes = 0;
      for (const double g : gradient) magnitudes += std::abs(g);
      rate *= std::min(1.0, 1 / magnitudes);
    } else {
      Doubles change = gradient;
      for (std::size_t i = 0; i < change.size(); ++i) change[i] -= last_gradient[i];
      if (inner(change, last_step) > 1e-10) {
        steps.push_back(last_step);
        changes.push_back(change);
        if (steps.size() > history) {
          steps.erase(steps.begin());
          changes.erase(changes.begin());
        }
      }
      Doubles alpha(steps.size());
      for (std::size_t i = steps.size(); i-- > 0;) {
        alpha[i] = inner(steps[i], q) / inner(steps[i], changes[i]);
        for (std::size_t k = 0; k < q.size(); ++k) q[k] -= alpha[i] * changes[i][k];
      }
      if (!steps.empty()) {
        const double scale = inner(steps.back(), changes.back()) / inner(changes.back(), changes.back());
        for (double& value : q) value *= scale;
      }
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const double beta = inner(changes[i], q) / inner(steps[i], changes[i]);
        for (std::size_t k = 0; k < q.size(); ++k) q[k] += (alpha[i] - beta) * steps[i][k];
      }
    }
    for (double& value : q) value *= -rate;
    last_step = q;
    last_gradient = gradient;
    return q;
  }
};

TEST(LBFGS, FollowsTheTwoLoopRecursion) {
  Point model;
  optim::LBFGS optimizer(model, {.lr = 0.5, .history = 3});
  TwoLoop rule{.steps = {}, .changes = {}, .last_step = {}, .last_gradient = {}, .history = 3};
  Doubles point{-1, 2, 0.5, 1.5};
  const auto step = compile([&] {
    std::vector<Tensor> gradients = grad(model.loss(), optimizer.parameters());
    optimizer.step(gradients);
    return gradients;
  });
  for (int t = 0; t < 8; ++t) {
    const std::vector<Tensor> gradients = step();
    Doubles gradient = gradients[0].to_vector<double>();
    gradient.push_back(gradients[1].to_vector<double>()[0]);
    const Doubles moved = rule.step(gradient, 0.5);
    for (std::size_t i = 0; i < 4; ++i) point[i] += moved[i];
    expect_values(model.x, {3}, {point[0], point[1], point[2]}, 1e-9);
    expect_values(model.y, {1}, {point[3]}, 1e-9);
    model.x = from_vector(Doubles{point[0], point[1], point[2]}, {3});  // so that rounding does not accumulate
    model.y = from_vector(Doubles{point[3]}, {1});
  }
  EXPECT_EQ(step.explain().compiles, 1u);
}

TEST(LBFGS, FindsAMinimumFasterThanGradientDescent) {
  Point fast, slow;
  optim::LBFGS optimizer(fast);
  optim::SGD descent(slow, {.lr = 1e-3});
  for (int t = 0; t < 40; ++t) {
    optimizer.step(grad(fast.loss(), optimizer.parameters()));
    descent.step(grad(slow.loss(), descent.parameters()));
    sync();
  }
  EXPECT_LT(fast.loss().item(), 1e-6);
  EXPECT_GT(slow.loss().item(), 1e-3);
}

TEST(LBFGS, Errors) {
  Point model;
  expect_error([&] { optim::LBFGS(model, {.history = 0}); }, "LBFGS: history must be a number, at least 1, got 0");
  expect_error([&] { optim::Muon(model, {.momentum = 1}); }, "Muon: momentum must lie in [0, 1), got 1");
  expect_error([&] { optim::Adafactor(model, {.clipping = -1}); },
               "Adafactor: clipping must be a number, at least 0, got -1");
}

}  // namespace
}  // namespace weft
