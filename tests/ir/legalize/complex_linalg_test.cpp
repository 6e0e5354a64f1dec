// Tests Fourier transforms and factorisations of complex numbers in text.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "complex.h"

namespace weft::ir {
namespace {

Values fourier(const Values& x, int sign) {
  Values y(x.size());
  const double n = x.size();
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j)
      y[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % x.size()) / n);
  return y;
}

Values wave(std::size_t n) {
  Values x;
  for (std::size_t i = 0; i < n; ++i) x.emplace_back(std::sin(1.7 * i), std::cos(0.3 * (i * i)));
  return x;
}

void expect_near(const Values& got, const Values& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - expected[i]), tolerance) << got[i] << expected[i] << " at " << i;
}

TEST(TextComplexLinalg, FourierTransforms) {
  for (const std::size_t n : {1u, 2u, 7u, 60u, 67u, 96u, 201u}) {
    SCOPED_TRACE(n);
    const Values x = wave(n);
    const std::string length = concat(", length = [", n, "] : (TYPE) -> TYPE");
    const Values forward = evaluate<double>("%r = stablehlo.fft %x, type = FFT" + length, x);
    expect_near(forward, fourier(x, -1), 1e-11);
    expect_near(evaluate<double>("%r = stablehlo.fft %x, type = IFFT" + length, forward), x, 1e-12);
    // Half of the spectrum of real numbers determines the rest.
    const std::string half = concat("tensor<", n / 2 + 1, "xcomplex<f64>>"), real = concat("tensor<", n, "xf64>");
    const Values back = evaluate<double>(
        concat("%a = stablehlo.real %x : (TYPE) -> ", real, "\n%h = stablehlo.fft %a, type = RFFT, length = [", n,
               "] : (", real, ") -> ", half, "\n%b = stablehlo.fft %h, type = IRFFT, length = [", n, "] : (", half,
               ") -> ", real, "\n%r = stablehlo.convert %b : (", real, ") -> TYPE"),
        x);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i].real(), x[i].real(), 1e-13);
  }
}

// A transform of several dimensions is one transform after the other.
TEST(TextComplexLinalg, FourierTransformsOfManyDimensions) {
  const Values x = wave(12);
  const Values got = evaluate<double>(
      "%a = stablehlo.reshape %x : (TYPE) -> tensor<2x2x3xcomplex<f64>>\n"
      "%b = \"stablehlo.fft\"(%a) <{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2, 3>}> : "
      "(tensor<2x2x3xcomplex<f64>>) -> tensor<2x2x3xcomplex<f64>>\n"
      "%r = stablehlo.reshape %b : (tensor<2x2x3xcomplex<f64>>) -> TYPE",
      x);
  Values expected;
  for (std::size_t batch = 0; batch < 2; ++batch) {
    Values rows[2];
    for (std::size_t i = 0; i < 2; ++i)
      rows[i] = fourier({x[batch * 6 + i * 3], x[batch * 6 + i * 3 + 1], x[batch * 6 + i * 3 + 2]}, -1);
    for (const double sign : {1.0, -1.0})
      for (std::size_t k = 0; k < 3; ++k) expected.push_back(rows[0][k] + sign * rows[1][k]);
  }
  expect_near(got, expected, 1e-13);
}

// For a = m m' + 4 with the factor l, checks l l' = a, and that both triangles solve the systems that they define.
TEST(TextComplexLinalg, FactorisationsOfMatrices) {
  const std::string matrix = "tensor<3x3xcomplex<f64>>",
                    type = " : (" + matrix + ", " + matrix + ") -> " + matrix + "\n";
  const auto multiply = [&](const std::string& result, const std::string& a, const std::string& b) {
    return result + " = stablehlo.dot_general " + a + ", " + b + ", contracting_dims = [1] x [0]" + type;
  };
  const auto adjoint = [&](const std::string& name) {
    return "%t" + name + " = stablehlo.transpose %" + name + ", dims = [1, 0] : (" + matrix + ") -> " + matrix + "\n%" +
           name + "h = chlo.conj %t" + name + " : " + matrix + " -> " + matrix + "\n";
  };
  const std::string begin =
      "%m = stablehlo.reshape %x : (TYPE) -> " + matrix + "\n" + adjoint("m") + multiply("%p", "%m", "%mh") +
      "%four = stablehlo.constant dense<[[(4.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (4.0, 0.0), (0.0, 0.0)], "
      "[(0.0, 0.0), (0.0, 0.0), (4.0, 0.0)]]> : " +
      matrix + "\n%a = stablehlo.add %p, %four : " + matrix + "\n";
  const auto as_result = [](const std::string& name) {
    return "%r = stablehlo.reshape " + name + " : (tensor<3x3xcomplex<f64>>) -> TYPE";
  };
  const Values a = evaluate<double>(begin + as_result("%a"), wave(9)), b = wave(9);
  for (const char* lower : {"true", "false"}) {
    SCOPED_TRACE(lower);
    const std::string factor = begin + "%l = \"stablehlo.cholesky\"(%a) {lower = " + lower + "} : (" + matrix +
                               ") -> " + matrix + "\n" + adjoint("l");
    const bool is_lower = lower == std::string("true");
    expect_near(
        evaluate<double>(factor + multiply("%q", is_lower ? "%l" : "%lh", is_lower ? "%lh" : "%l") + as_result("%q"),
                         wave(9)),
        a, 1e-12);
    for (const char* left : {"true", "false"})
      for (const char* how : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        SCOPED_TRACE(concat(left, how));
        const std::string op = how == std::string("TRANSPOSE") ? "%tl" : how == std::string("ADJOINT") ? "%lh" : "%l";
        const std::string solved = factor + "%b = stablehlo.reshape %y : (TYPE) -> " + matrix +
                                   "\n%z = \"stablehlo.triangular_solve\"(%l, %b) " +
                                   concat("{left_side = ", left, ", lower = ", lower,
                                          ", unit_diagonal = false, transpose_a = #stablehlo<transpose ", how, ">}") +
                                   type;
        const bool is_left = left == std::string("true");
        expect_near(
            evaluate<double>(solved + multiply("%q", is_left ? op : "%z", is_left ? "%z" : op) + as_result("%q"),
                             wave(9), b),
            b, 1e-12);
      }
  }
}

// The diagonal counts as 1, whatever the matrix has there, and so does the other triangle as 0.
TEST(TextComplexLinalg, UnitDiagonalsAreNotRead) {
  const Values a{{3, 4}, {5, 6}, {1, -2}, {-7, 8}}, b{{1, 2}, {3, 4}};
  const Values x{a[0], a[1], a[2], a[3], b[0], b[1]};
  const std::string solve =
      "%f = stablehlo.slice %x [0:4] : (TYPE) -> tensor<4xcomplex<f64>>\n"
      "%a = stablehlo.reshape %f : (tensor<4xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>\n"
      "%g = stablehlo.slice %x [4:6] : (TYPE) -> tensor<2xcomplex<f64>>\n"
      "%b = stablehlo.reshape %g : (tensor<2xcomplex<f64>>) -> tensor<2x1xcomplex<f64>>\n"
      "%s = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = LOWER, unit_diagonal = true, "
      "transpose_a = "
      "#stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x2xcomplex<f64>>, tensor<2x1xcomplex<f64>>) -> "
      "tensor<2x1xcomplex<f64>>\n"
      "%c = stablehlo.concatenate %s, %s, %s, dim = 0 : (tensor<2x1xcomplex<f64>>, tensor<2x1xcomplex<f64>>, "
      "tensor<2x1xcomplex<f64>>) -> tensor<6x1xcomplex<f64>>\n"
      "%r = stablehlo.reshape %c : (tensor<6x1xcomplex<f64>>) -> TYPE";
  const auto solved = [&](const std::string& lower) {
    std::string text = solve;
    text.replace(text.find("LOWER"), 5, lower);
    const Values found = evaluate<double>(text, x);
    return Values{found[0], found[1]};
  };
  expect_near(solved("true"), {b[0], b[1] - a[2] * b[0]}, 1e-13);
  expect_near(solved("false"), {b[0] - a[1] * b[1], b[1]}, 1e-13);
}

}  // namespace
}  // namespace weft::ir
