// Complex numbers in text: their functions against C's, what becomes of operations on them, what is refused.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/boundary.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Number = std::complex<double>;
using Values = std::vector<Number>;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Array array(const std::vector<double>& values) {
  Array result(Type(dtype_of<T>, {static_cast<std::int64_t>(values.size())}));
  std::ranges::transform(values, result.data<T>().begin(), [](double x) { return static_cast<T>(x); });
  return result;
}

// The parts of the numbers as the two inputs that a complex argument is.
template <class T>
std::vector<Array> parts(const Values& numbers) {
  std::vector<double> re, im;
  for (const Number z : numbers) {
    re.push_back(z.real());
    im.push_back(z.imag());
  }
  return {array<T>(re), array<T>(im)};
}

template <class T>
Values numbers(const Array& re, const Array& im) {
  Values result;
  for (std::size_t i = 0; i < re.data<T>().size(); ++i) result.emplace_back(re.data<T>()[i], im.data<T>()[i]);
  return result;
}

// What a function of one or two complex arguments named %x and %y returns.
template <class T>
Values evaluate(const std::string& body, const Values& x, const Values& y = {}) {
  const std::string type = concat("tensor<", x.size(), "xcomplex<", dtype_of<T>, ">>");
  std::string text = concat("func.func @f(%x: ", type, y.empty() ? "" : concat(", %y: ", type), ") -> ", type, " {\n",
                            body, "\nreturn %r : ", type, "\n}");
  for (auto at = text.find("TYPE"); at != text.npos; at = text.find("TYPE")) text.replace(at, 4, type);
  std::vector<Array> inputs = parts<T>(x);
  if (!y.empty()) std::ranges::move(parts<T>(y), std::back_inserter(inputs));
  const auto results = interpret(*parse(text), inputs);
  return numbers<T>(results[0], results[1]);
}

double units(double got, double expected, double unit) {  // in the last place
  if (got == expected) return 0;
  if (!std::isfinite(got) || !std::isfinite(expected)) return infinity;
  return std::abs(got - expected) / std::max(std::abs(expected) * unit, std::numeric_limits<double>::min());
}

bool has_nan(Number z) { return std::isnan(z.real()) || std::isnan(z.imag()); }

// Of the worse part; where one is not a number, so must be one of the other's.
double units(Number got, Number expected, double unit) {
  if (has_nan(got) || has_nan(expected)) return has_nan(got) == has_nan(expected) ? 0 : infinity;
  return std::max(units(got.real(), expected.real(), unit), units(got.imag(), expected.imag(), unit));
}

struct Function {
  const char* name;
  Number (*expected)(Number);
};

const Function functions[] = {
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
                        1 + 1e-9, 1.5,    2,      20.5,  345.6, 709.5, 1e10, 1e160, 1e308,    infinity};

Values grid() {
  Values points;
  for (const double x : sizes)
    for (const double y : sizes)
      for (const Number z : {Number(x, y), Number(-x, y), Number(x, -y), Number(-x, -y)}) points.push_back(z);
  return points;
}

TEST(TextComplex, FunctionsAreThoseOfC) {
  for (const Function& f : functions) {
    const auto got = evaluate<double>(concat("%r = ", f.name, " %x : TYPE"), grid());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Number z = grid()[i], expected = f.expected(z);
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

TEST(TextComplex, FunctionsOfTwoAreThoseOfC) {
  const Number others[] = {{1, 0}, {-2, 0.5}, {0.125, -3}, {1e-200, 1e-190}, {1e200, -1e199}, {3, 3}};
  Values x, y;
  for (const Number a : grid())
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
      if (!(size >= 1e-290 && size <= 1e290)) continue;  // beyond what every way to compute it reaches
      EXPECT_LE(std::abs(got[i].real() - expected.real()), 1e-12 * size) << f.name << x[i] << y[i] << " = " << got[i];
      EXPECT_LE(std::abs(got[i].imag() - expected.imag()), 1e-12 * size) << f.name << x[i] << y[i] << " = " << got[i];
    }
  }
}

TEST(TextComplex, DivisionByZeroAndInfinity) {
  const auto quotient = [](Number a, Number b) {
    return evaluate<double>("%r = stablehlo.divide %x, %y : TYPE", {a}, {b})[0];
  };
  EXPECT_EQ(quotient({1, -2}, {0, 0}), Number(infinity, -infinity));
  EXPECT_EQ(quotient({1, 2}, {-infinity, 3}), Number(0, 0));
  EXPECT_EQ(quotient({infinity, 1}, {1, 1}), Number(infinity, -infinity));
  EXPECT_TRUE(has_nan(quotient({nan, 1}, {1, 1})));
}

TEST(TextComplex, SinglePrecisionIsRoundedOnce) {
  // Floats all of them.
  const Values points = {
      {1.5, 2.5}, {-0.75, 0x1.52a7fcp-1}, {0x1p-66, 0x1p-83}, {0x1.8p127, 0x1p127}, {-0x1p-100, -80}};
  for (const Function& f : functions) {
    const auto got = evaluate<float>(concat("%r = ", f.name, " %x : TYPE"), points);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Number z = points[i];
      const std::complex<float> rounded(f.expected(z));
      const Number expected(rounded);
      if (std::abs(expected.real()) < 1e-37 || std::abs(expected.imag()) < 1e-37) continue;  // has fewer digits
      EXPECT_LE(units(got[i], expected, 0x1p-23), 1) << f.name << z << " = " << got[i] << ", expected " << expected;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// What becomes of operations

const Values abc = {{1, 2}, {-3, 0.5}, {2, -1}};

TEST(TextComplex, PartsAndConversions) {
  EXPECT_EQ(evaluate<double>(
                "%a = stablehlo.real %x : (TYPE) -> tensor<3xf64>\n%b = stablehlo.imag %x : (TYPE) -> tensor<3xf64>\n"
                "%r = stablehlo.complex %b, %a : TYPE",
                abc),
            (Values{{2, 1}, {0.5, -3}, {-1, 2}}));
  EXPECT_EQ(evaluate<double>("%a = stablehlo.convert %x : (TYPE) -> tensor<3xi32>\n"
                             "%r = stablehlo.convert %a : (tensor<3xi32>) -> TYPE",
                             abc),
            (Values{{1, 0}, {-3, 0}, {2, 0}}));
  EXPECT_EQ(evaluate<double>("%a = stablehlo.convert %x : (TYPE) -> tensor<3xcomplex<f32>>\n"
                             "%b = stablehlo.bitcast_convert %a : (tensor<3xcomplex<f32>>) -> tensor<3x2xui32>\n"
                             "%c = stablehlo.bitcast_convert %b : (tensor<3x2xui32>) -> tensor<3xcomplex<f32>>\n"
                             "%r = stablehlo.convert %c : (tensor<3xcomplex<f32>>) -> TYPE",
                             abc),
            abc);
  EXPECT_EQ(evaluate<double>("%a = stablehlo.bitcast_convert %x : (TYPE) -> tensor<3x8xi16>\n"
                             "%r = stablehlo.bitcast_convert %a : (tensor<3x8xi16>) -> TYPE",
                             abc),
            abc);
}

TEST(TextComplex, Constants) {
  const auto plus = [](const std::string& constant) {
    return evaluate<float>("%c = stablehlo.constant dense<" + constant + "> : TYPE\n%r = stablehlo.add %x, %c : TYPE",
                           {{0, 0}, {0, 0}});
  };
  EXPECT_EQ(plus("[(1.0, -2.0), (0x3F800000, 4)]"), (Values{{1, -2}, {1, 4}}));
  EXPECT_EQ(plus("(0.5, -1.0)"), (Values{{0.5, -1}, {0.5, -1}}));
  EXPECT_EQ(plus("\"0x0000803F000000400000404000008040\""), (Values{{1, 2}, {3, 4}}));
  EXPECT_EQ(plus("\"0x0000803F00000040\""), (Values{{1, 2}, {1, 2}}));
}

TEST(TextComplex, MovedElements) {
  EXPECT_EQ(evaluate<double>(
                "%a = stablehlo.reverse %x, dims = [0] : TYPE\n"
                "%b = stablehlo.slice %a [0:1] : (TYPE) -> tensor<1xcomplex<f64>>\n"
                "%c = stablehlo.slice %x [1:3] : (TYPE) -> tensor<2xcomplex<f64>>\n"
                "%r = stablehlo.concatenate %b, %c, dim = 0 : (tensor<1xcomplex<f64>>, tensor<2xcomplex<f64>>) -> TYPE",
                abc),
            (Values{abc[2], abc[1], abc[2]}));
  EXPECT_EQ(evaluate<double>(
                "%i = stablehlo.constant dense<[[2], [0], [1]]> : tensor<3x1xi32>\n"
                "%r = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (TYPE, tensor<3x1xi32>) "
                "-> TYPE",
                abc),
            (Values{abc[2], abc[0], abc[1]}));
}

// The ops of the nodes of a graph that have regions.
std::vector<std::string_view> ops_with_regions(const Graph& graph) {
  std::vector<std::string_view> names;
  for (const Node* node : graph.nodes())
    if (!node->regions.empty()) names.push_back(node->op->name);
  return names;
}

std::string reduction(const std::string& op) {
  return "func.func @f(%x: tensor<3xcomplex<f64>>) -> tensor<complex<f64>> {\n"
         "%i = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>\n"
         "%r = stablehlo.reduce(%x init: %i) applies stablehlo." +
         op +
         " across dimensions = [0] : (tensor<3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>\n"
         "return %r : tensor<complex<f64>>\n}";
}

TEST(TextComplex, SumsAreOfEitherPartProductsOfBoth) {
  const auto sum = parse(reduction("add")), product = parse(reduction("multiply"));
  EXPECT_THAT(ops_with_regions(*sum), ElementsAre("reduce", "reduce"));
  EXPECT_THAT(ops_with_regions(*product), ElementsAre("reduce"));
  const auto of = [](const Graph& graph) {
    const auto results = interpret(graph, parts<double>(abc));
    return Number(results[0].data<double>()[0], results[1].data<double>()[0]);
  };
  EXPECT_EQ(of(*sum), Number(1, 1.5));
  EXPECT_EQ(of(*product), abc[0] * abc[1] * abc[2]);
}

TEST(TextComplex, SortCarriesThem) {
  EXPECT_EQ(evaluate<double>("%r = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
                             "^bb0(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>):\n"
                             "%c = stablehlo.imag %a : (tensor<complex<f64>>) -> tensor<f64>\n"
                             "%d = stablehlo.imag %b : (tensor<complex<f64>>) -> tensor<f64>\n"
                             "%e = stablehlo.compare LT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
                             "stablehlo.return %e : tensor<i1>\n}) : (TYPE) -> TYPE",
                             abc),
            (Values{abc[2], abc[1], abc[0]}));
}

TEST(TextComplex, LoopsBranchesAndCallsCarryThem) {
  const auto graph = parse(R"(module {
    func.func @main(%x: tensor<complex<f64>>, %w: tensor<complex<f64>>) -> tensor<complex<f64>> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<complex<f64>>
        cond {
          %n = stablehlo.constant dense<3> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %next = stablehlo.add %i, %one : tensor<i32>
          %y = func.call @times(%z, %w) : (tensor<complex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
          stablehlo.return %next, %y : tensor<i32>, tensor<complex<f64>>
        }
      %two = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare GT, %r#0, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = "stablehlo.if"(%p) ({
        %y = stablehlo.negate %r#1 : tensor<complex<f64>>
        stablehlo.return %y : tensor<complex<f64>>
      }, {
        stablehlo.return %r#1 : tensor<complex<f64>>
      }) : (tensor<i1>) -> tensor<complex<f64>>
      return %s : tensor<complex<f64>>
    }
    func.func private @times(%a: tensor<complex<f64>>, %b: tensor<complex<f64>>) -> tensor<complex<f64>> {
      %r = stablehlo.multiply %a, %b : tensor<complex<f64>>
      return %r : tensor<complex<f64>>
    }
  })");
  std::vector<Array> inputs;
  for (const double x : {1.0, 2.0, 0.0, 1.0}) {
    inputs.emplace_back(Type(DType::f64, {}));
    inputs.back().data<double>()[0] = x;
  }
  const auto results = interpret(*graph, inputs);
  EXPECT_EQ(Number(results[0].data<double>()[0], results[1].data<double>()[0]),
            -Number(1, 2) * Number(0, 1) * Number(0, 1) * Number(0, 1));
}

TEST(TextComplex, Contractions) {
  EXPECT_EQ(
      evaluate<double>(
          "%a = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (TYPE, TYPE) -> tensor<complex<f64>>\n"
          "%r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<complex<f64>>) -> TYPE",
          abc, {{1, 1}, {2, 0}, {0, -1}})[0],
      abc[0] * Number(1, 1) + abc[1] * Number(2, 0) + abc[2] * Number(0, -1));
}

// ---------------------------------------------------------------------------------------------------------------------
// Transforms and factorisations

Values fourier(const Values& x, int sign) {
  Values y(x.size());
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j)
      y[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % x.size()) / n);
  return y;
}

Values wave(std::size_t n) {
  Values x;
  for (std::size_t i = 0; i < n; ++i)
    x.emplace_back(std::sin(1.7 * static_cast<double>(i)), std::cos(0.3 * static_cast<double>(i * i)));
  return x;
}

void expect_near(const Values& got, const Values& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - expected[i]), tolerance) << got[i] << expected[i] << " at " << i;
}

TEST(TextComplex, FourierTransforms) {
  for (const std::size_t n : {1u, 2u, 7u, 60u, 67u, 96u, 201u}) {
    SCOPED_TRACE(n);
    const Values x = wave(n);
    const std::string length = concat(", length = [", n, "] : (TYPE) -> TYPE");
    const Values forward = evaluate<double>("%r = stablehlo.fft %x, type = FFT" + length, x);
    expect_near(forward, fourier(x, -1), 1e-11);
    expect_near(evaluate<double>("%r = stablehlo.fft %x, type = IFFT" + length, forward), x, 1e-12);
    // Half of the spectrum of real numbers has it all.
    const std::string half = concat("tensor<", n / 2 + 1, "xcomplex<f64>>"), real = concat("tensor<", n, "xf64>");
    const Values back = evaluate<double>(
        concat("%a = stablehlo.real %x : (TYPE) -> ", real, "\n%h = stablehlo.fft %a, type = RFFT, length = [", n,
               "] : (", real, ") -> ", half, "\n%b = stablehlo.fft %h, type = IRFFT, length = [", n, "] : (", half,
               ") -> ", real, "\n%r = stablehlo.convert %b : (", real, ") -> TYPE"),
        x);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i].real(), x[i].real(), 1e-13);
  }
}

// Of several dimensions: one after the other.
TEST(TextComplex, FourierTransformsOfManyDimensions) {
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

// l l' = a for the factor of a = m m' + 4, and either triangle solves what it makes.
TEST(TextComplex, FactorisationsOfMatrices) {
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

// ---------------------------------------------------------------------------------------------------------------------
// Arguments and results

TEST(TextComplex, ArgumentsAreMarked) {
  const auto graph =
      parse(R"(func.func @main(%a: tensor<f32>, %x: tensor<2xcomplex<f32>> {tf.aliasing_output = 1 : i32})
      -> (tensor<complex<f32>>, tensor<2xcomplex<f32>> {jax.result_info = "y"}) {
    %c = stablehlo.complex %a, %a : tensor<complex<f32>>
    return %c, %x : tensor<complex<f32>>, tensor<2xcomplex<f32>>
  })");
  const std::vector<Port> inputs = input_ports(*graph), outputs = output_ports(*graph);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_FALSE(inputs[0].is_complex);
  EXPECT_TRUE(inputs[1].is_complex);
  EXPECT_EQ(concat(inputs[1]), "tensor<2xcomplex<f32>>");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].first, 2u);
  EXPECT_THAT(graph->annotations->arguments[1],
              ElementsAre(Annotation{"tf.aliasing_output", "2 : i32"}, complex_part(false)));
  EXPECT_THAT(graph->annotations->arguments[2],
              ElementsAre(Annotation{"tf.aliasing_output", "3 : i32"}, complex_part(true)));
  const auto again = parse(print(*graph));
  EXPECT_TRUE(structurally_equal(*graph, *again));
  EXPECT_EQ(print(*graph), print(*again));
  EXPECT_TRUE(input_ports(*again)[1].is_complex);
}

// The second part alone, and a real number that becomes no part of anything.
TEST(TextComplex, BranchesTakeThePartsThatTheyUse) {
  const auto graph = parse(
      R"(func.func @main(%p: tensor<i1>, %z: tensor<complex<f32>>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %r = "stablehlo.if"(%p) ({
      %y = stablehlo.imag %z : (tensor<complex<f32>>) -> tensor<f32>
      %n = stablehlo.negate %y : tensor<f32>
      stablehlo.return %n : tensor<f32>
    }, {
      %c = stablehlo.complex %b, %a : tensor<complex<f32>>
      %y = stablehlo.imag %c : (tensor<complex<f32>>) -> tensor<f32>
      stablehlo.return %y : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %r : tensor<f32>
  })");
  const Node& node = *graph->outputs()[0].node;
  EXPECT_THAT(node.operands, ElementsAre(graph->inputs()[0], graph->inputs()[2], graph->inputs()[3]));
  EXPECT_TRUE(structurally_equal(*graph, *parse(print(*graph))));
}

std::string error_of(const std::string& body) {
  try {
    parse("func.func @main(%x: tensor<2xcomplex<f32>>, %y: tensor<2xf32>) {\n" + body + "\nreturn }");
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(TextComplex, WhatIsWrongIsSaid) {
  EXPECT_THAT(error_of("%0 = stablehlo.constant dense<[(1.0, 2.0), 3.0]> : tensor<2xcomplex<f32>>"),
              HasSubstr("2:44: expected '(' in a constant of type tensor<2xcomplex<f32>>, got '3.0'"));
  EXPECT_THAT(error_of("%0 = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<2xcomplex<f32>>"),
              HasSubstr("expected ','"));
  EXPECT_THAT(error_of("%0 = stablehlo.constant dense<\"0x00000000\"> : tensor<2xcomplex<f32>>"),
              HasSubstr("expected 16 bytes"));
  EXPECT_THAT(error_of("%0 = stablehlo.constant dense<0> : tensor<2xcomplex<i32>>"),
              HasSubstr("parts of f32 or f64, not i32"));
  EXPECT_THAT(error_of("%0 = stablehlo.add %x, %y : tensor<2xcomplex<f32>>"),
              HasSubstr("stablehlo.add: takes complex numbers, got tensor<2xf32>"));
  EXPECT_THAT(error_of("%0 = stablehlo.floor %x : tensor<2xcomplex<f32>>"),
              HasSubstr("2:6: stablehlo.floor: takes no complex numbers"));
  EXPECT_THAT(
      error_of("%0 = stablehlo.compare LT, %x, %x : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>"),
      HasSubstr("no order"));
  EXPECT_THAT(error_of("%0 = stablehlo.negate %x : (tensor<2xf32>) -> tensor<2xf32>"),
              HasSubstr("%x is tensor<2xcomplex<f32>>, not tensor<2xf32>"));
}

}  // namespace
}  // namespace weft::ir
