// The gradients of docs/gradients.md at kinks, ties and the edges of domains.
#include <functional>
#include <limits>
#include <string>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;
using test::inf;
using test::nan;

struct Point {
  std::string function;
  std::function<Tensor(const Tensor&)> f;
  Doubles at, expected;  // the gradient of the sum of f with respect to the elements of one vector
};

Tensor zeros_for(const Tensor& x) { return zeros_like(x); }

const std::vector<Point>& points() {
  const auto pair = [](auto f) { return [f](const Tensor& x) { return f(x[0], x[1]); }; };
  static const std::vector<Point> all{
      {"abs", [](auto& x) { return abs(x); }, {-1, 0, 1}, {-1, 0, 1}},
      {"l1_loss", [](auto& x) { return l1_loss(x, zeros_for(x), Reduction::sum); }, {-1, 0, 1}, {-1, 0, 1}},
      {"relu", [](auto& x) { return relu(x); }, {-1, 0, 1}, {0, 0, 1}},
      {"leaky_relu", [](auto& x) { return leaky_relu(x); }, {-1, 0, 1}, {0.01, 0.01, 1}},
      {"elu", [](auto& x) { return elu(x); }, {-inf, -1000, 0, 1000, inf}, {0, 0, 1, 1, 1}},
      {"silu", [](auto& x) { return silu(x); }, {-1000, 0, 1000}, {0, 0.5, 1}},
      {"softplus", [](auto& x) { return softplus(x); }, {-1000, 0, 1000}, {0, 0.5, 1}},
      {"gelu", [](auto& x) { return gelu(x); }, {-1000, 0, 1000}, {0, 0.5, 1}},
      {"mish", [](auto& x) { return mish(x); }, {-1000, 0, 1000}, {0, 0.6, 1}},
      {"sigmoid", [](auto& x) { return sigmoid(x); }, {-1000, 0, 1000}, {0, 0.25, 0}},
      {"log_sigmoid", [](auto& x) { return log_sigmoid(x); }, {-1000, 0, 1000}, {1, 0.5, 0}},
      {"hard_swish", [](auto& x) { return hard_swish(x); }, {-inf, -3, 0, 3, inf}, {0, 0, 0.5, 1, 1}},
      {"huber_loss",
       [](auto& x) { return huber_loss(x, zeros_for(x), 1, Reduction::sum); },
       {-2, -1, 0, 1, 2},
       {-1, -1, 0, 1, 1}},
      {"clamp", [](auto& x) { return clamp(x, -1, 1); }, {-2, -1, 0, 1, 2}, {0, 1, 1, 1, 0}},
      {"clamp by its lower bound", pair([](auto x, auto low) { return clamp(x, low, 9); }), {1, 1}, {1, 0}},
      {"clamp by its upper bound", pair([](auto x, auto high) { return clamp(x, -9, high); }), {1, 1}, {1, 0}},
      {"maximum", pair([](auto a, auto b) { return maximum(a, b); }), {1, 1}, {0.5, 0.5}},
      {"minimum", pair([](auto a, auto b) { return minimum(a, b); }), {1, 1}, {0.5, 0.5}},
      {"max", [](auto& x) { return max(x); }, {1, 1, 0}, {0.5, 0.5, 0}},
      {"min", [](auto& x) { return min(x); }, {1, 1, 2}, {0.5, 0.5, 0}},
      {"maximum", pair([](auto a, auto b) { return maximum(a, b); }), {1, nan}, {0, 0}},
      {"minimum", pair([](auto a, auto b) { return minimum(a, b); }), {1, nan}, {0, 0}},
      {"max", [](auto& x) { return max(x); }, {1, nan}, {0, 0}},
      {"min", [](auto& x) { return min(x); }, {1, nan}, {0, 0}},
      {"max_pool2d", [](auto& x) { return max_pool2d(reshape(x, {1, 1, 1, 4}), {1, 2}); }, {5, 5, 1, 5}, {1, 0, 0, 1}},
      {"floor", [](auto& x) { return floor(x); }, {-0.5, 0, 1}, {0, 0, 0}},
      {"ceil", [](auto& x) { return ceil(x); }, {-0.5, 0, 1}, {0, 0, 0}},
      {"round", [](auto& x) { return round(x); }, {-0.5, 0, 1}, {0, 0, 0}},
      {"sign", [](auto& x) { return sign(x); }, {-0.5, 0, 1}, {0, 0, 0}},
      {"sqrt", [](auto& x) { return sqrt(x); }, {0}, {inf}},
      {"rsqrt", [](auto& x) { return rsqrt(x); }, {0}, {-inf}},
      {"log", [](auto& x) { return log(x); }, {0}, {inf}},
      {"reciprocal", [](auto& x) { return reciprocal(x); }, {0}, {-inf}},
      {"cbrt", [](auto& x) { return cbrt(x); }, {0}, {inf}},
      {"asin", [](auto& x) { return asin(x); }, {-1, 0, 1, 2}, {inf, 1, inf, nan}},
      {"acos", [](auto& x) { return acos(x); }, {-1, 0, 1, 2}, {-inf, -1, -inf, nan}},
      {"sinh", [](auto& x) { return sinh(x); }, {-1000, 0, 1000}, {inf, 1, inf}},
      {"cosh", [](auto& x) { return cosh(x); }, {-1000, 0, 1000}, {-inf, 0, inf}},
      {"atan2", pair([](auto y, auto x) { return atan2(y, x); }), {0, 0}, {0, 0}},
      {"atan2", pair([](auto y, auto x) { return atan2(y, x); }), {0, -1}, {-1, 0}},
      {"pow", pair([](auto x, auto y) { return pow(x, y); }), {0, 0}, {0, 0}},
      {"pow", pair([](auto x, auto y) { return pow(x, y); }), {0, 1}, {1, 0}},
      {"pow", pair([](auto x, auto y) { return pow(x, y); }), {0, 0.5}, {inf, 0}},
      {"pow", pair([](auto x, auto y) { return pow(x, y); }), {0, -1}, {-inf, -inf}},
      {"pow", pair([](auto x, auto y) { return pow(x, y); }), {-1, 2}, {-2, nan}},
      {"norm", [](auto& x) { return norm(x); }, {0, 0}, {0, 0}},
      {"norm", [](auto& x) { return norm(x); }, {3, 4}, {0.6, 0.8}},
      {"stddev", [](auto& x) { return stddev(x); }, {1, 1}, {0, 0}},
      {"stddev", [](auto& x) { return stddev(x); }, {5}, {nan}},
      {"var", [](auto& x) { return var(x); }, {1, 1}, {0, 0}},
      {"normalize", [](auto& x) { return normalize(x)[0]; }, {0, 0}, {1e12, 0}},
      {"prod", [](auto& x) { return prod(x); }, {0, 3}, {3, 0}},
      {"prod", [](auto& x) { return prod(x); }, {0, 0}, {0, 0}},
      {"logsumexp", [](auto& x) { return logsumexp(x); }, {0, -inf}, {1, 0}},
      {"logsumexp", [](auto& x) { return logsumexp(x); }, {-inf, -inf}, {nan, nan}},
      {"softmax", [](auto& x) { return softmax(x)[0]; }, {-inf, 0}, {0, 0}},
      {"kl_div by the target", [](auto& p) { return kl_div(zeros_for(p), p, Reduction::sum); }, {0, 1}, {0, 1}},
  };
  return all;
}

TEST(GradientPoints, OfTheTable) {
  for (const auto& [function, f, at, expected] : points()) {
    SCOPED_TRACE(function);
    const auto count = std::ssize(at);
    const Tensor x = from_vector<double>(at, {count});
    expect_values(grad(sum(f(x)), x), {count}, expected, 1e-5);
  }
}

TEST(GradientPoints, OfSinhEverywhere) {
  const Doubles at{-30, -1, -1e-3, -1e-9, 1e-9, 1e-3, 1, 30};
  const Tensor x = from_vector<double>(at, {8}), slopes = grad(sum(sinh(x)), x), values = sinh(x);
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_DOUBLE_EQ(values[i].item() / std::sinh(at[i]), 1) << at[i];
    EXPECT_DOUBLE_EQ(slopes[i].item() / std::cosh(at[i]), 1) << at[i];
  }
}

// Functions that are smooth at 0 have the right derivatives of every order there.
TEST(GradientPoints, SecondDerivativesAtZero) {
  const auto second = [](const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
    return grad(sum(grad(sum(f(x)), x)), x);
  };
  const Tensor x = tensor({-1.0, 0.0, 1.0});
  const double side = 0.19661193324148185;  // s (1 - s) at 1
  expect_values(second([](const Tensor& t) { return softplus(t); }, x), {3}, {side, 0.25, side}, 1e-7);
  expect_values(second([](const Tensor& t) { return log_sigmoid(t); }, x), {3}, {-side, -0.25, -side}, 1e-7);
  expect_values(
      second([](const Tensor& t) { return binary_cross_entropy_with_logits(t, zeros_like(t), Reduction::none); }, x),
      {3}, {side, 0.25, side}, 1e-7);
  const auto product = [](const Tensor& t) { return prod(t); };
  expect_values(second(product, tensor({0.0, 2.0})), {2}, {1, 1}, 1e-12);
  expect_values(second(product, tensor({0.0, 2.0, 5.0, 3.0})), {4}, {31, 15, 6, 10}, 1e-12);
  expect_values(second(product, tensor({0.0, 0.0, 5.0})), {3}, {5, 5, 0}, 1e-12);
}

TEST(GradientPoints, OfProductsAlongAnyAxes) {
  const Tensor x = test::arbitrary({3, 5, 2}), along = prod(x, {0, 2});
  const Tensor expected = reshape(along, {1, 5, 1}) / x;
  expect_values(grad(sum(along), x), {3, 5, 2}, expected.to_vector<double>(), 1e-12);
  expect_values(grad(sum(prod(x, 1)), x), {3, 5, 2}, (reshape(prod(x, 1), {3, 1, 2}) / x).to_vector<double>(), 1e-12);
}

TEST(GradientPoints, StayFiniteInTheBranchThatIsNotChosen) {
  const Tensor slope = tensor({0.25});
  expect_values(grad(sum(leaky_relu(tensor({inf, 1.0}), slope)), slope), {1}, {0});
  const Tensor x = tensor({inf, -inf, 3.0});
  expect_values(grad(huber_loss(x, zeros_like(x), 2, Reduction::sum), x), {3}, {2, -2, 2});
  const Tensor at = tensor({0.0, inf, -inf, 2.0});
  expect_values(grad(sum(pow(at, -2.0)), at), {4}, {-inf, 0, 0, -0.25});
}

TEST(GradientPoints, OfAGradientThatIsConstant) {
  const Tensor x = tensor({1.f, 2.f});
  const Tensor once = grad(sum(x * 3), x);
  expect_values(grad(sum(once * once), x), {2}, {0, 0});
  const Tensor other = tensor({1.f});
  expect_error([&] { grad(sum(once), other); },
               "grad: the loss depends on none of the 1 tensors (was there a sync, or something without a derivative, "
               "between them and the loss?)");
}

TEST(GradientPoints, WithoutADerivative) {
  const Tensor x = tensor({1.f, 2.f});
  const auto message_of = [&](auto&& loss) {
    try {
      grad(loss(), x);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto expect_names = [](const std::string& message, const std::string& op, int line) {
    const std::string expected =
        concat("grad: the loss depends on the 1 tensors only through ", op, " at ", __FILE__, ":", line);
    EXPECT_TRUE(message.starts_with(expected)) << message;
  };
  expect_names(message_of([&] { return sum(stop_gradient(x) * 2); }), "stop_gradient", __LINE__);
  expect_names(message_of([&] { return argmax(x).to(DType::f32); }), "compare", __LINE__);
  expect_names(message_of([&] { return sum(take(ones({2}), argsort(x))); }), "sort", __LINE__);
  expect_names(message_of([&] { return sum(one_hot(topk(x, 1).indices, 2) * 3); }), "sort", __LINE__);
  expect_names(message_of([&] { return sum((x > 1).to(DType::f32)); }), "compare", __LINE__);
  expect_names(message_of([&] { return sum(x.to(DType::i32).to(DType::f32)); }), "convert", __LINE__);
  EXPECT_EQ(message_of([&] { return sum(round(x) + stop_gradient(x)); }), "none") << "whose gradient is 0";
}

TEST(GradientPoints, WithoutADerivativeOfALossThatWasRead) {
  const Tensor x = tensor({1.25f, 2.5f});
  const auto gradient_after_reading = [&](const Tensor& loss) {
    (void)loss.item();
    return grad(loss, x);
  };
  expect_values(gradient_after_reading(sum(round(x))), {2}, {0, 0});
  const Tensor read = round(x);
  (void)read.to_vector<float>();
  expect_values(gradient_after_reading(sum(read * 2)), {2}, {0, 0});
  try {
    gradient_after_reading(argmax(x).to(DType::f32));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("grad: the loss depends on the 1 tensors only through compare at "));
  }
  const Tensor other = tensor({1.f});
  expect_error([&] { grad(sum(read), other); },
               "grad: the loss depends on none of the 1 tensors (was there a sync, or something without a derivative, "
               "between them and the loss?)");
}

}  // namespace
}  // namespace weft
