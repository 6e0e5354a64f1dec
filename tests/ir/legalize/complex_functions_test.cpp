// Compares the functions of complex numbers in text with those of the C library.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "complex.h"

namespace weft::ir {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

double units(double got, double expected, double unit) {  // the error in units in the last place
  if (got == expected) return 0;
  if (!std::isfinite(got) || !std::isfinite(expected)) return inf;
  return std::abs(got - expected) / std::max(std::abs(expected) * unit, std::numeric_limits<double>::min());
}

bool has_nan(Number z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

// Returns the error of the worse part. If one number has a NaN part, the other must have one, too.
double units(Number got, Number expected, double unit) {
  if (has_nan(got) || has_nan(expected)) return has_nan(got) == has_nan(expected) ? 0 : inf;
  return std::max(units(got.real(), expected.real(), unit), units(got.imag(), expected.imag(), unit));
}

struct ComplexFunction {
  const char* name;
  Number (*expected)(Number);
};

const ComplexFunction complex_functions[] = {
    {"chlo.acos", [](Number z) { return std::acos(z); }},
    {"chlo.acosh", [](Number z) { return std::acosh(z); }},
    {"chlo.asin", [](Number z) { return std::asin(z); }},
    {"chlo.asinh", [](Number z) { return std::asinh(z); }},
    {"chlo.atan", [](Number z) { return std::atan(z); }},
    {"chlo.atanh", [](Number z) { return std::atanh(z); }},
    {"chlo.cosh", [](Number z) { return std::cosh(z); }},
    {"chlo.sinh", [](Number z) { return std::sinh(z); }},
    {"chlo.tan", [](Number z) { return std::tan(z); }},
    {"stablehlo.cosine", [](Number z) { return std::cos(z); }},
    {"stablehlo.exponential", [](Number z) { return std::exp(z); }},
    {"stablehlo.log", [](Number z) { return std::log(z); }},
    {"stablehlo.sine", [](Number z) { return std::sin(z); }},
    {"stablehlo.sqrt", [](Number z) { return std::sqrt(z); }},
    {"stablehlo.tanh", [](Number z) { return std::tanh(z); }},
};

const double sizes[] = {0,        1e-308, 1e-200, 1e-20, 1e-8,  0.25,  0.5,  0.7,   1 - 1e-9, 1,
                        1 + 1e-9, 1.5,    2,      20.5,  345.6, 709.5, 1e10, 1e160, 1e308,    inf};

Values complex_points() {
  Values points;
  for (const double x : sizes)
    for (const double y : sizes)
      for (const Number z : {Number(x, y), Number(-x, y), Number(x, -y), Number(-x, -y)}) points.push_back(z);
  return points;
}

TEST(TextComplexFunctions, AreThoseOfC) {
  for (const ComplexFunction& f : complex_functions) {
    const auto got = evaluate<double>(concat("%r = ", f.name, " %x : TYPE"), complex_points());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Number z = complex_points()[i], expected = f.expected(z);
      EXPECT_LE(units(got[i], expected, 0x1p-52), 8) << f.name << z << " = " << got[i] << ", expected " << expected;
    }
  }
}

struct Function2 {
  const char* name;
  std::complex<long double> (*expected)(std::complex<long double>, std::complex<long double>);
};

const Function2 functions_of_two[] = {
    {"stablehlo.divide", [](auto a, auto b) { return a / b; }},
    {"stablehlo.multiply", [](auto a, auto b) { return a * b; }},
    {"stablehlo.power", [](auto a, auto b) { return std::pow(a, b); }},
};

TEST(TextComplexFunctions, OfTwoAreThoseOfC) {
  const Number others[] = {{1, 0}, {-2, 0.5}, {0.125, -3}, {1e-200, 1e-190}, {1e200, -1e199}, {3, 3}};
  Values x, y;
  for (const Number a : complex_points())
    for (const Number b : others)
      if (std::isfinite(a.real()) && std::isfinite(a.imag()) && a != 0.0) {
        x.push_back(a);
        y.push_back(b);
      }
  for (const Function2& f : functions_of_two) {
    const auto got = evaluate<double>(concat("%r = ", f.name, " %x, %y : TYPE"), x, y);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto exact = f.expected(x[i], y[i]);
      const Number expected(static_cast<double>(exact.real()), static_cast<double>(exact.imag()));
      const double size = std::max(std::abs(expected.real()), std::abs(expected.imag()));
      if (!(size >= 1e-290 && size <= 1e290)) continue;  // beyond the range of every way to compute it
      EXPECT_LE(std::abs(got[i].real() - expected.real()), 1e-12 * size) << f.name << x[i] << y[i] << " = " << got[i];
      EXPECT_LE(std::abs(got[i].imag() - expected.imag()), 1e-12 * size) << f.name << x[i] << y[i] << " = " << got[i];
    }
  }
}

TEST(TextComplexFunctions, DivisionByZeroAndInfinity) {
  const auto quotient = [](Number a, Number b) {
    return evaluate<double>("%r = stablehlo.divide %x, %y : TYPE", {a}, {b})[0];
  };
  EXPECT_EQ(quotient({1, -2}, {0, 0}), Number(inf, -inf));
  EXPECT_EQ(quotient({1, 2}, {-inf, 3}), Number(0, 0));
  EXPECT_EQ(quotient({inf, 1}, {1, 1}), Number(inf, -inf));
  EXPECT_TRUE(has_nan(quotient({not_a_number, 1}, {1, 1})));
}

// The direction at infinity is not known, whatever the other part is, unless that is infinite.
TEST(TextComplexFunctions, TangentsAtInfinity) {
  const auto tanh = [](Number z) { return evaluate<double>("%r = stablehlo.tanh %x : TYPE", {z})[0]; };
  for (const double re : {0.5, -21.0, 1e300})
    for (const double im : {inf, -inf, not_a_number}) {
      const Number far = tanh({re, im});
      EXPECT_TRUE(std::isnan(far.real()) && std::isnan(far.imag())) << re << " + " << im << " i: " << far;
    }
  EXPECT_EQ(tanh({-inf, inf}), Number(-1, 0));
  EXPECT_EQ(tanh({inf, 3}).real(), 1);
}

TEST(TextComplexFunctions, SinglePrecisionIsRoundedOnce) {
  // All of these are exact in f32.
  const Values points = {
      {1.5, 2.5}, {-0.75, 0x1.52a7fcp-1}, {0x1p-66, 0x1p-83}, {0x1.8p127, 0x1p127}, {-0x1p-100, -80}};
  for (const ComplexFunction& f : complex_functions) {
    const auto got = evaluate<float>(concat("%r = ", f.name, " %x : TYPE"), points);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Number z = points[i];
      const std::complex<float> rounded(f.expected(z));
      const Number expected(rounded);
      // subnormal numbers have fewer digits
      if (std::abs(expected.real()) < 1e-37 || std::abs(expected.imag()) < 1e-37) continue;
      EXPECT_LE(units(got[i], expected, 0x1p-23), 1) << f.name << z << " = " << got[i] << ", expected " << expected;
    }
  }
}

}  // namespace
}  // namespace weft::ir
