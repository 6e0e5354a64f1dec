#include <numbers>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using test::inf;
using test::nan;
TEST(Elementwise, Arithmetic) {
  const Tensor a = tensor({6.f, -3.f}), b = tensor({2.f, 4.f});
  expect_values(a + b, {2}, {8, 1});
  expect_values(a - b, {2}, {4, -7});
  expect_values(a * b, {2}, {12, -12});
  expect_values(a / b, {2}, {3, -0.75});
  expect_values(-a, {2}, {-6, 3});
  expect_values(1 - a, {2}, {-5, 4});
  expect_values(12 / b, {2}, {6, 3});
  Tensor c = a;
  c += b;
  c *= 2;
  expect_values(c, {2}, {16, 2});
  expect_values(a, {2}, {6, -3});
}

TEST(Elementwise, Broadcasting) {
  const Tensor rows = tensor({{1.f}, {2.f}}, DType::f32), row = tensor({10.f, 20.f, 30.f});
  expect_values(rows + row, {2, 3}, {11, 21, 31, 12, 22, 32});
  expect_values(row + rows, {2, 3}, {11, 21, 31, 12, 22, 32});
  expect_values(tensor(1.f) + row, {3}, {11, 21, 31});
  expect_values(zeros({0, 3}) + row, {0, 3}, {});
  expect_values(zeros({1, 3}) + zeros({0, 1}), {0, 3}, {});
  expect_error([&] { ones({2, 3}) + ones({2}); }, "add: cannot broadcast tensor<2x3xf32> with tensor<2xf32>");
  expect_error([&] { ones({2, 3}) * ones({4, 5}); }, "multiply: cannot broadcast tensor<2x3xf32> with tensor<4x5xf32>");
}

TEST(Elementwise, PromotionOfTensors) {
  const auto result = [](DType a, DType b) { return (zeros({}, a) + zeros({}, b)).dtype(); };
  EXPECT_EQ(result(DType::f32, DType::f32), DType::f32);
  EXPECT_EQ(result(DType::i32, DType::f32), DType::f32);
  EXPECT_EQ(result(DType::i64, DType::f16), DType::f16);
  EXPECT_EQ(result(DType::bf16, DType::f16), DType::f32);
  EXPECT_EQ(result(DType::bf16, DType::f32), DType::f32);
  EXPECT_EQ(result(DType::u8, DType::i8), DType::i16);
  EXPECT_EQ(result(DType::boolean, DType::u8), DType::u8);
  EXPECT_EQ(result(DType::f32, DType::f64), DType::f64);
}

TEST(Elementwise, PromotionOfNumbers) {
  const auto with = [](DType t, auto number) { return (zeros({}, t) + number).dtype(); };
  EXPECT_EQ(with(DType::bf16, 1.5), DType::bf16);
  EXPECT_EQ(with(DType::bf16, 2), DType::bf16);
  EXPECT_EQ(with(DType::f64, 1.5f), DType::f64);
  EXPECT_EQ(with(DType::u8, 2), DType::u8);
  EXPECT_EQ(with(DType::i64, 1.5), DType::f32);
  EXPECT_EQ(with(DType::boolean, 1), DType::i32);
  EXPECT_EQ(with(DType::boolean, 1.0), DType::f32);
  EXPECT_EQ(with(DType::i8, true), DType::i8);
  expect_error([] { zeros({}, DType::u8) + 300; }, "add: 300 does not fit ui8");
  expect_error([] { zeros({}, DType::u8) + -1; }, "add: -1 does not fit ui8");
  expect_error([] { full({2}, 2.5, DType::i32); }, "full: 2.5 is a floating-point number, i32 has integers only");
  expect_error([] { clamp(zeros({2}, DType::i32), 0.5, 1); },
               "clamp: 0.5 is a floating-point number, i32 has integers only");
  EXPECT_EQ((zeros({}, DType::u64) + ~std::uint64_t{0}).item<std::uint64_t>(), ~std::uint64_t{0});
}

TEST(Elementwise, DivisionOfIntegersIsTrueDivision) {
  const Tensor a = tensor({7, -7, 7, -7}), b = tensor({2, 2, -2, -2});
  EXPECT_EQ((a / b).dtype(), DType::f32);
  expect_values(a / b, {4}, {3.5, -3.5, -3.5, 3.5});
  expect_values(floor_divide(a, b), {4}, {3, -4, -4, 3});
  expect_values(remainder(a, b), {4}, {1, 1, -1, -1});
  expect_values(remainder(convert(a, DType::f32), b), {4}, {1, 1, -1, -1});
  expect_values(floor_divide(convert(a, DType::f32), b), {4}, {3, -4, -4, 3});
}

TEST(Elementwise, Power) {
  const Tensor x = tensor({1.f, 2.f, 3.f});
  expect_values(pow(x, 2), {3}, {1, 4, 9});
  expect_values(pow(x, 3), {3}, {1, 8, 27});
  expect_values(pow(x, 4), {3}, {1, 16, 81});
  expect_values(pow(x, 5), {3}, {1, 32, 243}, 1e-4);
  expect_values(pow(x, -1), {3}, {1, 0.5, 1.0 / 3}, 1e-6);
  expect_values(pow(x, 0.5), {3}, {1, std::sqrt(2), std::sqrt(3)}, 1e-6);
  expect_values(pow(2, x), {3}, {2, 4, 8}, 1e-5);
  expect_values(pow(tensor({2, 3}), 2), {2}, {4, 9});
  EXPECT_EQ(pow(tensor({2, 3}), 0.5).dtype(), DType::f32);
}

TEST(Elementwise, Comparisons) {
  const Tensor a = tensor({1.f, 2.f, 3.f}), b = tensor({2.f, 2.f, 2.f});
  EXPECT_EQ((a < b).dtype(), DType::boolean);
  expect_values(a < b, {3}, {1, 0, 0});
  expect_values(a <= b, {3}, {1, 1, 0});
  expect_values(a > b, {3}, {0, 0, 1});
  expect_values(a >= 2, {3}, {0, 1, 1});
  expect_values(a == b, {3}, {0, 1, 0});
  expect_values(2 != a, {3}, {1, 0, 1});
}

TEST(Elementwise, Choices) {
  const Tensor x = tensor({-1.f, 0.f, 2.f});
  expect_values(where(x > 0, x, 0), {3}, {0, 0, 2});
  expect_values(where(x > 0, tensor({{1.f}, {2.f}}, DType::f32), -1), {2, 3}, {-1, -1, 1, -1, -1, 2});
  expect_values(where(tensor(true), 1, 2.5), {}, {1});
  expect_values(maximum(x, 1), {3}, {1, 1, 2});
  expect_values(minimum(x, tensor({0.f, -5.f, nan})), {3}, {-1, -5, nan});
  expect_values(clamp(x, -0.5, 1), {3}, {-0.5, 0, 1});
  expect_values(clamp(x, tensor({0.f, 1.f, 5.f}), 9), {3}, {0, 1, 5});
}

TEST(Elementwise, Classification) {
  const Tensor x = tensor({1.f, inf, -inf, nan}, DType::f32);
  expect_values(isnan(x), {4}, {0, 0, 0, 1});
  expect_values(isinf(x), {4}, {0, 1, 1, 0});
  expect_values(isfinite(x), {4}, {1, 0, 0, 0});
  expect_values(isfinite(tensor({1, 2})), {2}, {1, 1});
}

TEST(Elementwise, BitsAndLogic) {
  const Tensor a = tensor({6, 12}), b = tensor({3, 10});
  expect_values(a & b, {2}, {2, 8});
  expect_values(a | b, {2}, {7, 14});
  expect_values(a ^ b, {2}, {5, 6});
  expect_values(~a, {2}, {-7, -13});
  expect_values(a << 1, {2}, {12, 24});
  expect_values(-a >> 1, {2}, {-3, -6});
  expect_values(!(a > 6), {2}, {1, 0});
  expect_values(!a, {2}, {0, 0});
  expect_error([&] { ones({2}) & a; }, "and: expected integers or booleans, got tensor<2xf32> and tensor<2xf32>");
}

TEST(Elementwise, FunctionsOfOneNumber) {
  const double x = 0.625;
  const Tensor t = tensor(x, DType::f64);
  const auto expect = [&](const Tensor& y, double value) { EXPECT_NEAR(y.item(), value, 1e-14); };
  expect(exp(t), std::exp(x));
  expect(expm1(t), std::expm1(x));
  expect(log(t), std::log(x));
  expect(log1p(t), std::log1p(x));
  expect(sqrt(t), std::sqrt(x));
  expect(rsqrt(t), 1 / std::sqrt(x));
  expect(cbrt(t), std::cbrt(x));
  expect(square(t), x * x);
  expect(reciprocal(t), 1 / x);
  expect(sin(t), std::sin(x));
  expect(cos(t), std::cos(x));
  expect(tan(t), std::tan(x));
  expect(tanh(t), std::tanh(x));
  expect(atan2(t, 2.0), std::atan2(x, 2));
  expect(erf(t), std::erf(x));
  expect(abs(-t), x);
  expect(sign(-t), -1);
  expect_values(floor(tensor({-1.5f, 1.5f})), {2}, {-2, 1});
  expect_values(ceil(tensor({-1.5f, 1.5f})), {2}, {-1, 2});
  expect_values(round(tensor({0.5f, 1.5f, -2.5f})), {3}, {0, 2, -2});
  EXPECT_EQ(exp(tensor({1, 2})).dtype(), DType::f32);
}

TEST(Elementwise, Conversion) {
  expect_values(convert(tensor({1.9f, -1.9f, 300.f}), DType::u8), {3}, {1, 0, 255});
  expect_values(tensor({0.f, 0.5f}).to(DType::boolean), {2}, {0, 1});
  const Tensor x = tensor({1.f});
  EXPECT_EQ(&x.to(DType::f32).impl(), &x.impl()) << "nothing to convert";
}

TEST(Elementwise, GradientsAreThoseOfDifferences) {
  const Tensor x = test::arbitrary({2, 3}), y = test::arbitrary({3}, 1) + 2.0;
  const auto check = [&](auto f) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0], in[1]); }, {x, y});
  };
  check([](const Tensor& a, const Tensor& b) { return a * b + a / b - b; });
  check([](const Tensor& a, const Tensor& b) { return exp(a) * log(b) + sqrt(b) * tanh(a); });
  check([](const Tensor& a, const Tensor& b) { return pow(b, a) + pow(b, 3) + square(a); });
  check([](const Tensor& a, const Tensor& b) { return where(a > 0, a * b, a - b) + maximum(a, b - 2.0) + abs(a); });
}

TEST(Elementwise, StopGradientStopsIt) {
  const Tensor x = tensor(3.f);
  expect_values(grad(x * stop_gradient(x), x), {}, {3});
}

}  // namespace
}  // namespace weft
