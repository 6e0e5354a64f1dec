// Tests CHLO unary_functions: values compared with the C library and with identities, for every float dtype, and rejected programs.
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;

Array chlo(const std::string& op, std::initializer_list<Array> inputs) {
  std::string arguments, uses, types;
  for (const Array& x : inputs) {
    const std::string name = concat("%", arguments.empty() ? "x" : "y"), comma = arguments.empty() ? "" : ", ";
    arguments += concat(comma, name, ": ", x.type());
    uses += comma + name;
    types += concat(comma, x.type());
  }
  const Type type = inputs.begin()->type();
  const auto graph = parse(concat("func.func @f(", arguments, ") -> ", type, " { %r = chlo.", op, " ", uses, " : ",
                                  types, " -> ", type, " return %r : ", type, " }"));
  return interpret(*graph, inputs)[0];
}

Array filled(DType dtype, const std::vector<double>& values) {
  Array result(Type(dtype, {std::ssize(values)}));
  visit(dtype, [&]<class T>(T) {
    for (std::size_t i = 0; i < values.size(); ++i) result.data<T>()[i] = convert_element<T>(values[i]);
  });
  return result;
}

std::vector<double> range(double low, double high) {
  std::vector<double> values;
  for (int i = 0; i <= 200; ++i) values.push_back(low + (high - low) * i / 200);
  return values;
}

struct UnaryFunction {
  const char* name;
  double (*expected)(double);
  double low, high;
};

double digamma_by_differences(double x) {  // differences of lgamma, with an error of order h^4
  const double h = 1e-3;
  return (8 * (std::lgamma(x + h) - std::lgamma(x - h)) - std::lgamma(x + 2 * h) + std::lgamma(x - 2 * h)) / (12 * h);
}

// The integral over t in [0, pi] of exp(x cos t - |x|) cos t / pi, by the trapezoidal rule, which is exact for such integrands.
double bessel_i1e_by_quadrature(double x) {
  constexpr int n = 400;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double t = std::numbers::pi * i / n, weight = i == 0 || i == n ? 0.5 : 1;
    sum += weight * std::exp(x * std::cos(t) - std::abs(x)) * std::cos(t);
  }
  return sum / n;
}

const UnaryFunction unary_functions[] = {
    {"acos", std::acos, -1, 1},
    {"acosh", std::acosh, 1, 50},
    {"asin", std::asin, -1, 1},
    {"asinh", std::asinh, -50, 50},
    {"atan", std::atan, -50, 50},
    {"atanh", std::atanh, -0.99, 0.99},
    {"bessel_i1e", bessel_i1e_by_quadrature, -30, 30},
    {"cosh", std::cosh, -10, 10},
    {"digamma", digamma_by_differences, 0.3, 20},
    {"digamma", digamma_by_differences, -0.8, -0.2},
    {"erfc", std::erfc, -6, 6},
    {"lgamma", [](double x) { return std::lgamma(x); }, 0.1, 30},
    {"lgamma", [](double x) { return std::lgamma(x); }, -3.9, -3.1},
    {"sinh", std::sinh, -10, 10},
    {"square", [](double x) { return x * x; }, -4, 4},
    {"tan", std::tan, -1.5, 1.5},
};

// Tolerates rounding to the dtype before and after the function.
double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return 2e-3;
    case DType::bf16: return 2e-2;
    case DType::f32: return 3e-6;
    default: return 3e-9;  // limited by the differences behind digamma
  }
}

TEST(TextChlo, FunctionsHaveTheirValues) {
  for (const UnaryFunction& f : unary_functions)
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const Array x = filled(dtype, range(f.low, f.high)), y = chlo(f.name, {x});
      for (std::int64_t i = 0; i < x.size(); ++i) {
        const double expected = f.expected(x.element(i)), allowed = tolerance_of(dtype) * (1 + std::abs(expected));
        // The function may overflow to infinity.
        if (!std::isfinite(expected)) continue;
        EXPECT_NEAR(y.element(i), expected, allowed) << f.name << " of " << x.element(i) << " in " << dtype;
      }
    }
}

TEST(TextChlo, ErfInvInvertsErf) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Array x = filled(dtype, range(-0.999, 0.999)), y = chlo("erf_inv", {x});
    for (std::int64_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(std::erf(y.element(i)), x.element(i), dtype == DType::f32 ? 3e-7 : 1e-15) << dtype;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const Array ends = chlo("erf_inv", {filled(DType::f64, {-1, 0, 1, 2})});
  EXPECT_EQ(ends.element(0), -infinity);
  EXPECT_EQ(ends.element(1), 0);
  EXPECT_EQ(ends.element(2), infinity);
  EXPECT_TRUE(std::isnan(ends.element(3)));
}

TEST(TextChlo, Edges) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto check = [&](const char* name, double x, double expected) {
    const double y = chlo(name, {filled(DType::f64, {x})}).element(0);
    EXPECT_THAT(y, testing::NanSensitiveDoubleEq(expected)) << name << " of " << x;
  };
  check("lgamma", infinity, infinity);
  check("lgamma", -infinity, infinity);
  check("lgamma", -2, infinity);
  check("lgamma", 0, infinity);
  check("digamma", -1, nan);
  check("digamma", 0, nan);
  check("erfc", infinity, 0);
  check("erfc", -infinity, 2);
  check("erfc", 30, 0);
  check("erfc", nan, nan);
  check("acosh", 0.5, nan);
  check("acosh", infinity, infinity);
  check("atanh", 2, nan);
  check("asinh", -infinity, -infinity);
  check("asinh", 1e300, std::asinh(1e300));
  check("acosh", 1e300, std::acosh(1e300));
}

// Applies the recurrence psi1(x) = psi1(x + 1) + 1/x^2 up to where the series in 1/x is exact.
double trigamma(double x) {
  double sum = 0;
  for (; x < 30; ++x) sum += 1 / (x * x);
  return sum + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x) - 1 / (30 * std::pow(x, 5)) + 1 / (42 * std::pow(x, 7));
}

TEST(TextChlo, PolygammaAndZeta) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto of = [](const char* name, double a, double b, DType dtype = DType::f64) {
    return chlo(name, {filled(dtype, {a}), filled(dtype, {b})}).element(0);
  };
  for (const double x : {0.1, 0.5, 1.0, 3.25, 40.0}) {
    EXPECT_NEAR(of("polygamma", 1, x), trigamma(x), 1e-12 * trigamma(x)) << x;
    EXPECT_NEAR(of("polygamma", 1, x, DType::f32), trigamma(x), 3e-6 * trigamma(x)) << x;
    EXPECT_EQ(of("polygamma", 0, x), chlo("digamma", {filled(DType::f64, {x})}).element(0));
  }
  EXPECT_NEAR(of("polygamma", 2, 1), -2.4041138063191886, 1e-12);   // -2 zeta(3)
  EXPECT_NEAR(of("polygamma", 1, -0.5), 8.934802200544679, 1e-11);  // pi^2 / 2 + 4
  EXPECT_NEAR(of("zeta", 2, 1), std::numbers::pi * std::numbers::pi / 6, 1e-14);
  EXPECT_NEAR(of("zeta", 4.5, 1), std::riemann_zeta(4.5), 1e-14);
  EXPECT_NEAR(of("zeta", 200, 1), 1, 1e-15);
  EXPECT_EQ(of("zeta", 1, 2), infinity);
  EXPECT_EQ(of("zeta", 2, -1), infinity);
  EXPECT_TRUE(std::isnan(of("zeta", 0.5, 2)));
  EXPECT_TRUE(std::isnan(of("zeta", 2.5, -1.5)));
  EXPECT_TRUE(std::isnan(of("polygamma", 1.5, 2)));
  EXPECT_TRUE(std::isnan(of("polygamma", -1, 2)));
  EXPECT_TRUE(std::isnan(of("polygamma", nan, 2)));
}

TEST(TextChlo, NextAfterIsTheLibrarys) {
  const std::vector<double> all = {0, -0.0, 1, -1, 1.5, -2, 5e-324, -5e-324, 1e308, INFINITY, -INFINITY, NAN};
  for (const double a : all)
    for (const double b : all) {
      const double y = chlo("next_after", {filled(DType::f64, {a}), filled(DType::f64, {b})}).element(0);
      const double expected = std::nextafter(a, b);
      EXPECT_TRUE(y == expected || (std::isnan(y) && std::isnan(expected))) << a << " towards " << b << " is " << y;
    }
  const Array up = chlo("next_after", {filled(DType::f16, {1, -1}), filled(DType::f16, {2, 2})});
  EXPECT_EQ(up.element(0), 1 + 0x1p-10);
  EXPECT_EQ(up.element(1), -1 + 0x1p-11);
}

template <class T>
void expect_mulhi() {
  const auto numbers = [](std::uint64_t i) { return static_cast<T>((i * 0x9e3779b97f4a7c15u) >> (i % 60)); };
  for (std::uint64_t i = 0; i < 500; ++i) {
    const T a = numbers(i), b = numbers(i * 7 + 3);
    const Type type(dtype_of<T>, {1});
    const Array x(type, std::as_bytes(std::span(&a, 1))), y(type, std::as_bytes(std::span(&b, 1)));
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    const T expected = static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (sizeof(T) * 8));
    EXPECT_EQ(chlo("mulhi", {x, y}).template data<T>()[0], expected) << +a << " and " << +b;
  }
}

TEST(TextChlo, MulhiIsTheUpperHalf) {
  expect_mulhi<std::int8_t>();
  expect_mulhi<std::uint8_t>();
  expect_mulhi<std::int16_t>();
  expect_mulhi<std::uint32_t>();
  expect_mulhi<std::int64_t>();
  expect_mulhi<std::uint64_t>();
}

TEST(TextChlo, TopK) {
  const auto graph = parse(R"(
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %v, %i = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %v, %i : tensor<2x3xf32>, tensor<2x3xi32>
})");
  const Array x = Array::of<float>({2, 4}, {1, 3, 3, 2, -1, NAN, -INFINITY, 0});
  const auto results = interpret(*graph, std::span(&x, 1));
  EXPECT_THAT(results[1].data<std::int32_t>(), testing::ElementsAre(1, 2, 3, 1, 3, 0));
  EXPECT_THAT(results[0].data<float>(), testing::ElementsAre(3, 3, 2, testing::IsNan(), 0, -1));
  const auto generic = parse(R"(
func.func @main(%x: tensor<3xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %v:2 = "chlo.top_k"(%x) <{k = 1 : i64}> : (tensor<3xi32>) -> (tensor<1xi32>, tensor<1xi32>)
  return %v#0, %v#1 : tensor<1xi32>, tensor<1xi32>
})");
  const Array y = Array::of<std::int32_t>({3}, {-5, -3, -4});
  EXPECT_EQ(interpret(*generic, std::span(&y, 1))[0].data<std::int32_t>()[0], -3);
}

TEST(TextChlo, Refused) {
  const auto error = [](const std::string& body) {
    try {
      parse("func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>) {\n" + body + "\nreturn }");
    } catch (const Error& wrong) {
      return std::string(wrong.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error("%0 = chlo.acos %i : tensor<4xi32> -> tensor<4xi32>"),
            "2:6: chlo.acos: takes floating-point numbers, got tensor<4xi32>");
  EXPECT_EQ(error("%0 = chlo.acos %x, %x : tensor<4xf32>"), "2:6: chlo.acos: takes 1 operands, got 2");
  EXPECT_THAT(error("%0 = chlo.acos %x : tensor<4xf32> -> tensor<5xf32>"),
              HasSubstr("has the result type tensor<4xf32>, not tensor<5xf32>"));
  EXPECT_THAT(error("%0 = chlo.mulhi %i, %x : tensor<4xi32>, tensor<4xf32> -> tensor<4xi32>"),
              HasSubstr("of one type"));
  EXPECT_THAT(error("%v, %n = chlo.top_k(%x, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)"),
              HasSubstr("k = 5 is not within dimension 0"));
  EXPECT_THAT(error("%v, %n = chlo.top_k(%x) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)"),
              HasSubstr("expected k = a number"));
}

}  // namespace
}  // namespace weft::ir
