// Forward-mode derivatives against differences, and matrices of derivatives against loops over gradients.
#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;
using Tensors = std::vector<Tensor>;

Tensor some_numbers(const Shape& shape, std::uint64_t seed = 7) {
  return random::uniform(random::Key(seed), shape, DType::f64) * 2.0 - 1.0;
}

struct JvpCase {
  const char* name;
  Shape shape;
  std::function<Tensor(const Tensor&)> function;
};

const std::vector<JvpCase>& jvp_cases() {
  static const std::vector<JvpCase> cases{
      {"arithmetic", {3}, [](const Tensor& x) { return x * x / (x + 3.0) - x; }},
      {"functions", {3}, [](const Tensor& x) { return exp(sin(x)) * tanh(x) + erf(x); }},
      {"a value used twice",
       {3},
       [](const Tensor& x) {
         const Tensor y = sin(x);
         return y * y + y * x;
       }},
      {"softmax", {2, 4}, [](const Tensor& x) { return softmax(x) * log_softmax(x); }},
      {"layer_norm", {2, 4}, [](const Tensor& x) { return layer_norm(x, some_numbers({4})); }},
      {"reductions", {2, 3}, [](const Tensor& x) { return sum(x * x, 1) + max(x, 1) + logsumexp(x, 1) + prod(x, 1); }},
      {"cumsum, sort", {5}, [](const Tensor& x) { return sort(cumsum(x)) * x; }},
      {"matmul", {3, 3}, [](const Tensor& x) { return matmul(x, matmul(transpose(x), x)); }},
      {"conv2d, pooling",
       {1, 2, 6, 6},
       [](const Tensor& x) { return max_pool2d(conv2d(x, some_numbers({3, 2, 3, 3}), {.padding = 1}), 2); }},
      {"indexing",
       {5, 2},
       [](const Tensor& x) { return index_add(take(x, tensor({1, 4, 1})), 0, tensor({0, 0}), slice(x, 0, 1, 3)); }},
      {"cond",
       {3},
       [](const Tensor& x) {
         return cond(sum(x) > 0.0, [&] { return Tensors{x * 2.0}; }, [&] { return Tensors{x * x}; })[0];
       }},
      {"scan",
       {4, 3},
       [](const Tensor& x) {
         return scan(std::vector{zeros({3}, DType::f64)}, std::vector{x},
                     [](const Tensors& at, const Tensors& row) {
                       const Tensor next = tanh(at[0] + row[0]);
                       return std::pair(Tensors{next}, Tensors{next * row[0]});
                     })
             .stacked[0];
       }},
      // A loop whose number of steps is unknown has no gradient, but a derivative along a direction.
      {"while_loop",
       {3},
       [](const Tensor& x) {
         return while_loop(
             {x}, [](const Tensors& at) { return norm(at[0]) < 10.0; },
             [](const Tensors& at) { return Tensors{at[0] * 1.5 + sin(at[0])}; })[0];
       }},
      {"checkpoint", {3}, [](const Tensor& x) { return checkpoint([](const Tensor& h) { return tanh(h) * h; })(x); }},
      {"grad", {3}, [](const Tensor& x) { return grad(sum(sin(x) * x), x); }},
      {"vmap", {4, 3}, [](const Tensor& x) { return vmap([](const Tensor& row) { return sum(row * row) * row; })(x); }},
      {"jvp", {3}, [](const Tensor& x) { return jvp([](const Tensor& y) { return y * y * y; }, x, x).second; }}};
  return cases;
}

class Jvp : public ::testing::TestWithParam<JvpCase> {};

TEST_P(Jvp, IsTheLimitOfDifferences) {
  const auto& [name, shape, function] = GetParam();
  const Tensor x = some_numbers(shape, 1), v = some_numbers(shape, 2);
  const auto [y, dy] = jvp(function, x, v);
  const double step = 1e-6;
  const Tensor difference = (function(x + v * step) - function(x - v * step)) / (2 * step);
  expect_values(y, y.shape(), function(x).to_vector<double>(), 1e-13);
  expect_values(dy, y.shape(), difference.to_vector<double>(), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Functions, Jvp, ::testing::ValuesIn(jvp_cases()), [](const auto& instance) {
  std::string text = instance.param.name;
  std::erase_if(text, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return text;
});

TEST(JvpArguments, TuplesAreSeveralArguments) {
  const Tensor a = tensor({2.0, 3.0}, DType::f64), b = tensor({5.0, 7.0}, DType::f64);
  const Tensor va = tensor({1.0, 0.0}, DType::f64), vb = tensor({0.0, 1.0}, DType::f64);
  const auto product = [](const Tensor& x, const Tensor& y) { return std::pair(x * y, x + y); };
  const auto [values, tangents] = jvp(product, std::tuple(a, b), std::tuple(va, vb));
  expect_values(values.first, {2}, {10, 21});
  expect_values(tangents.first, {2}, {5, 3});
  expect_values(tangents.second, {2}, {1, 1});
}

TEST(JvpArguments, IntegersAndWhatIsFromOutsideAreConstants) {
  const Tensor x = tensor({2.0}, DType::f64);
  const auto f = [&](const Tensor& y, const Tensor& n) { return y * x * n.to(DType::f64); };
  const auto [value, tangent] = jvp(f, std::tuple(x, tensor({3})), std::tuple(ones({1}, DType::f64), tensor({9})));
  expect_values(value, {1}, {12});
  expect_values(tangent, {1}, {6});
  const auto [same, none] = jvp([&](const Tensor&) { return x; }, x, x);
  expect_values(none, {1}, {0});
}

TEST(JvpArguments, Errors) {
  const Tensor x = zeros({2});
  expect_error([&] { jvp([](const Tensor& y) { return y; }, x, zeros({3})); },
               "jvp: the tangent tensor<3xf32> does not fit tensor<2xf32>");
  expect_error([&] { jacobian([](const Tensor& y) { return y; })(tensor({1})); },
               "jacobian: only floating-point tensors have derivatives, got tensor<1xi32>");
  expect_error([&] { jacobian([](const Tensor& y) { return argmax(y); })(x); },
               "jacobian: only floating-point tensors have derivatives, got tensor<i32>");
}

TEST(Jacobian, BothModesEqualALoopOverGradients) {
  const Tensor x = some_numbers({2, 3}, 1), w = some_numbers({3, 4}, 2);
  const auto f = [&](const Tensor& y, double scale) { return tanh(matmul(y, w)) * scale; };
  Doubles expected;
  for (int i = 0; i < 8; ++i) {
    const Doubles row = grad(flatten(f(x, 2.0))[i], x).to_vector<double>();
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expect_values(jacobian(f)(x, 2.0), {2, 4, 2, 3}, expected, 1e-14);
  expect_values(jacobian_forward(f)(x, 2.0), {2, 4, 2, 3}, expected, 1e-14);
}

TEST(Hessian, OfAQuadraticFormAndOfANetwork) {
  const Tensor a = some_numbers({3, 3}, 1), x = some_numbers({3}, 2);
  const auto form = [&](const Tensor& y) { return sum(y * matmul(a, y)); };
  expect_values(hessian(form)(x), {3, 3}, (a + transpose(a)).to_vector<double>(), 1e-14);
  const Tensor w = some_numbers({3, 5}, 3);
  const auto network = [&](const Tensor& y, const Tensor& target) { return mse_loss(tanh(matmul(y, w)), target); };
  const Tensor target = some_numbers({5}, 4), second = hessian(network)(x, target);
  Doubles expected;
  for (int i = 0; i < 3; ++i) {
    const Doubles row = grad(grad(network(x, target), x)[i], x).to_vector<double>();
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expect_values(second, {3, 3}, expected, 1e-14);
}

TEST(Hessian, OfEachExampleInACompiledFunction) {
  const auto f = [](const Tensor& y) { return sum(y * y * y); };
  const auto compiled = compile([&](const Tensor& xs) { return vmap(hessian(f))(xs); });
  const Tensor xs = tensor({{1.0, 2.0}, {3.0, 4.0}}, DType::f64);
  expect_values(compiled(xs), {2, 2, 2}, {6, 0, 0, 12, 18, 0, 0, 24}, 1e-14);
}

// A gradient of a derivative along a direction: reverse mode over forward mode.
TEST(Hessian, TimesAVector) {
  const auto f = [](const Tensor& y) { return sum(exp(y) * y); };
  const Tensor x = some_numbers({3}, 1), v = some_numbers({3}, 2);
  const Tensor product = grad(jvp(f, x, v).second, x);
  expect_values(product, {3}, matmul(hessian(f)(x), v).to_vector<double>(), 1e-13);
}

}  // namespace
}  // namespace weft
