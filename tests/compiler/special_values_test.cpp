// How vector instructions treat special numbers: zeros of both signs, infinities, NaN, ties, subnormals.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

std::vector<float> special_values() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values{0.0F, 1.0F, 3e-39F, Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity()};
  for (const std::uint32_t bits : {0x3f808000U, 0x3f818000U, 0x3f808001U, 0x3f80ffffU, 0x7f7f8000U, 0x7fa00000U})
    values.push_back(
        std::bit_cast<float>(bits));  // ties to even below and above, beyond a tie, past the largest, a signalling NaN
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

// Returns all pairs of special values.
std::vector<Array> pairs() {
  const std::vector<float> values = special_values();
  const auto n = std::ssize(values);
  std::vector<Array> arrays(2, Array(Type(DType::f32, {n, n})));
  for (std::size_t i = 0; i < values.size() * values.size(); ++i) {
    arrays[0].data<float>()[i] = values[i / values.size()];
    arrays[1].data<float>()[i] = values[i % values.size()];
  }
  return arrays;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

class SpecialValues : public testing::TestWithParam<bool> {
 protected:
  // Checks that a graph of these inputs gives the same as the interpreter.
  void check(const auto& body) {
    const std::vector<Array> inputs = pairs();
    const auto graph =
        ir::make_graph(std::vector{inputs[0].type(), inputs[1].type()},
                       [&](ir::Graph&, std::span<const Value> in) { return std::vector<Value>{body(in[0], in[1])}; });
    compiler::Options options;
    options.strict = GetParam();
    const Array want = ir::interpret(*graph, inputs)[0], got = test::run_compiled(*graph, inputs, options)[0];
    for (std::int64_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(same(got.element(i), want.element(i))) << got.element(i) << " for " << want.element(i) << " of "
                                                         << inputs[0].element(i) << " and " << inputs[1].element(i);
  }
};

TEST_P(SpecialValues, TheGreaterAndTheLesserOfTwo) {
  check([](Value x, Value y) { return ir::maximum(x, y); });
  check([](Value x, Value y) { return ir::minimum(x, y); });
}

TEST_P(SpecialValues, AreRoundedTo16Bits) {
  check([](Value x, Value) { return ir::convert(x, DType::f16); });
  check([](Value x, Value) { return ir::convert(x, DType::bf16); });
}

INSTANTIATE_TEST_SUITE_P(Modes, SpecialValues, testing::Bool(),
                         [](const auto& test) { return test.param ? "strict" : "standard"; });

// The column sums read the stored 16-bit numbers, not the same numbers as 32-bit floats.
TEST(Widening, IsDoneByWhoeverReads) {
  const Type x(DType::f32, {512, 512});
  const auto graph = ir::make_graph(std::vector{x}, [](ir::Graph&, std::span<const Value> in) {
    const std::int64_t rows[] = {0};
    const Value narrow = ir::convert(in[0] * in[0], DType::bf16);
    return std::vector{narrow, ir::reduce_sum(ir::convert(narrow, DType::f32), rows)};
  });
  std::uint64_t written = 0;
  const auto executable = compiler::compile(*graph, {});
  for (const auto& thunk : executable->thunks)
    for (const runtime::Slice& slice : thunk->writes) written = std::max(written, slice.bytes);
  EXPECT_EQ(written, 2U * 512 * 512);
}

}  // namespace
}  // namespace weft
