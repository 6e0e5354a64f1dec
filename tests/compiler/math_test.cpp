// Elementary functions of generated code in strict mode: their errors, and that a number gives the same bits wherever it lies.
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

// Bounds are in units in the last place.
struct Function {
  std::string name;
  Value (*emit)(Value x, Value y);
  long double (*exact)(long double x, long double y);
  double bound_f32, bound_f64;
};

const std::vector<Function>& all_functions() {
  using L = long double;
  static const std::vector<Function> functions{
      {"exp", [](Value x, Value) { return ir::exponential(x); }, [](L x, L) { return std::exp(x); }, 1, 1},
      {"expm1", [](Value x, Value) { return ir::exponential_minus_one(x); }, [](L x, L) { return std::expm1(x); }, 1.5,
       2},
      {"log", [](Value x, Value) { return ir::log(x); }, [](L x, L) { return std::log(x); }, 1, 1},
      {"log1p", [](Value x, Value) { return ir::log_plus_one(x); }, [](L x, L) { return std::log1p(x); }, 1.5, 1.5},
      {"sin", [](Value x, Value) { return ir::sine(x); }, [](L x, L) { return std::sin(x); }, 1.5, 1.5},
      {"cos", [](Value x, Value) { return ir::cosine(x); }, [](L x, L) { return std::cos(x); }, 1.5, 1.5},
      {"tan", [](Value x, Value) { return ir::tan(x); }, [](L x, L) { return std::tan(x); }, 3, 3},
      {"tanh", [](Value x, Value) { return ir::tanh(x); }, [](L x, L) { return std::tanh(x); }, 1.5, 2.5},
      {"logistic", [](Value x, Value) { return ir::logistic(x); }, [](L x, L) { return 1 / (1 + std::exp(-x)); }, 2.5,
       2},
      {"erf", [](Value x, Value) { return ir::erf(x); }, [](L x, L) { return std::erf(x); }, 1.5, 1.5},
      {"cbrt", [](Value x, Value) { return ir::cbrt(x); }, [](L x, L) { return std::cbrt(x); }, 0.51, 0.51},
      {"pow", [](Value x, Value y) { return ir::power(x, y); }, [](L x, L y) { return std::pow(x, y); }, 1.5, 1.5},
      {"atan2", [](Value x, Value y) { return ir::atan2(x, y); }, [](L x, L y) { return std::atan2(x, y); }, 1.5, 2},
      {"remainder", [](Value x, Value y) { return ir::remainder(x, y); }, [](L x, L y) { return std::fmod(x, y); }, 0,
       0}};
  return functions;
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Returns special values, numbers of every exponent, numbers near 1 and in ranges where the functions change, and multiples of pi / 2.
template <class T>
std::vector<T> sample(std::int64_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{0,
                        1,
                        T(0.5),
                        2,
                        3,
                        5,
                        Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::min(),
                        Limits::denorm_min(),
                        Limits::max()};
  values.push_back(std::nextafter(T(1), T(0)));
  values.push_back(std::nextafter(T(1), T(2)));
  for (int k = 1; k < Limits::digits + 2; k += 7) values.push_back(std::ldexp(T(1), k) + 1);
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> symmetric(-1, 1);
  constexpr int fraction = Limits::digits - 1;
  constexpr Bits<T> mask = (Bits<T>(1) << fraction) - 1, exponents = 2 * Limits::max_exponent;
  constexpr double ranges[] = {1, 20, 100, 800, 1e5, 1e9};
  while (std::ssize(values) < count) {
    const auto i = values.size();
    const auto sign = static_cast<Bits<T>>(random() & 1);
    const auto exponent = static_cast<Bits<T>>(i / 4 % exponents);
    switch (i % 4) {
      case 0:
        values.push_back(std::bit_cast<T>((sign << (8 * sizeof(T) - 1)) | (exponent << fraction) |
                                          (static_cast<Bits<T>>(random()) & mask)));
        break;
      case 1: values.push_back(static_cast<T>(symmetric(random) * ranges[i / 4 % 6])); break;
      case 2: values.push_back(static_cast<T>(1 + symmetric(random) * 0.5)); break;
      default: values.push_back(static_cast<T>(std::round(symmetric(random) * 1e5) * 1.57079632679489661923L));
    }
  }
  return values;
}

// Returns pairs: first all pairs of special values.
template <class T>
std::vector<Array> sample_pairs(std::int64_t count) {
  constexpr DType dtype = sizeof(T) == 4 ? DType::f32 : DType::f64;
  constexpr std::int64_t special = 40;
  std::vector<Array> arrays(2, Array(Type(dtype, {count})));
  const std::vector<T> x = sample<T>(count, 1), y = sample<T>(count, 2);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool mixed = i < special * special;
    arrays[0].data<T>()[i] = x[mixed ? i / special : i];
    // Powers of large and small numbers are rarely 0 or infinite this way.
    arrays[1].data<T>()[i] = y[mixed ? i % special : (i * 5 + 3) % count];
  }
  return arrays;
}

// Returns by how much `got` differs from `want`. Infinity counts as the power of two behind the largest number.
template <class T>
double error(T got, long double want) {
  using Limits = std::numeric_limits<T>;
  constexpr double wrong = 1e30;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (want == 0 && got == 0) return std::signbit(got) == std::signbit(static_cast<T>(want)) ? 0 : wrong;
  const long double top = std::ldexp(1.0L, Limits::max_exponent);
  const auto finite = [&](long double v) { return std::abs(v) > top ? std::copysign(top, v) : v; };
  const long double exact = finite(want);
  const int exponent = exact == 0 ? Limits::min_exponent - 1 : std::max(std::ilogb(exact), Limits::min_exponent - 1);
  return static_cast<double>(std::abs((finite(got) - exact) / std::ldexp(1.0L, exponent - Limits::digits + 1)));
}

class Math : public testing::TestWithParam<Function> {
 protected:
  template <class T>
  void check_errors(std::int64_t count, double bound) {
    const std::vector<Array> inputs = sample_pairs<T>(count);
    const auto graph = ir::make_graph(
        std::vector{inputs[0].type(), inputs[1].type()},
        [](ir::Graph&, std::span<const Value> in) { return std::vector{GetParam().emit(in[0], in[1])}; });
    compiler::Options options;
    options.strict = true;
    const Array got = test::run_compiled(*graph, inputs, options)[0];
    double worst = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const T x = inputs[0].data<T>()[i], y = inputs[1].data<T>()[i];
      const double e = error(got.data<T>()[i], GetParam().exact(x, y));
      ASSERT_LE(e, bound) << GetParam().name << " of " << x << " and " << y << " is " << got.data<T>()[i];
      worst = std::max(worst, e);
    }
    RecordProperty(sizeof(T) == 4 ? "worst_f32" : "worst_f64", std::to_string(worst));
  }

  // A row computes its own number as a scalar, since all its elements are equal. Other targets have vectors of other widths.
  template <class T>
  void check_bits() {
    constexpr std::int64_t count = 4003, columns = 3;
    const std::vector<Array> inputs = sample_pairs<T>(count);
    const Type type = inputs[0].type();
    const auto vectors = ir::make_graph(std::vector{type, type}, [](ir::Graph&, std::span<const Value> in) {
      return std::vector{GetParam().emit(in[0], in[1])};
    });
    const auto scalars = ir::make_graph(std::vector{type, type}, [&](ir::Graph&, std::span<const Value> in) {
      const std::int64_t rows[] = {0};
      return std::vector{
          ir::broadcast_in_dim(GetParam().emit(in[0], in[1]), Type(type.dtype(), {count, columns}), rows)};
    });
    compiler::Options options;
    options.strict = true;
    const Array want = test::run_compiled(*vectors, inputs, options)[0];
    const auto same = [](T a, T b) {
      return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits<T>>(a) == std::bit_cast<Bits<T>>(b);
    };
    const Array rows = test::run_compiled(*scalars, inputs, options)[0];
    for (std::int64_t i = 0; i < count * columns; ++i)
      ASSERT_TRUE(same(rows.data<T>()[i], want.data<T>()[i / columns]))
          << GetParam().name << " of " << inputs[0].data<T>()[i / columns];
    for (const char* const name : {"x86-64-v2", "x86-64-v3"}) {
      if (!compiler::Target::host().triple.starts_with("x86")) break;  // 64-bit ARM has vectors of one width
      options.target = &compiler::Target::named(name);
      if (!options.target->runs_here) continue;
      const Array got = test::run_compiled(*vectors, inputs, options)[0];
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_TRUE(same(got.data<T>()[i], want.data<T>()[i]))
            << GetParam().name << " of " << inputs[0].data<T>()[i] << " on " << name;
    }
  }
};

TEST_P(Math, IsAccurateForF32) { check_errors<float>(1 << 20, GetParam().bound_f32); }
TEST_P(Math, IsAccurateForF64) { check_errors<double>(1 << 18, GetParam().bound_f64); }
TEST_P(Math, GivesTheSameBitsInScalarsAndInVectorsOfEveryWidth) {
  check_bits<float>();
  check_bits<double>();
}

INSTANTIATE_TEST_SUITE_P(Functions, Math, testing::ValuesIn(all_functions()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft
