// Loops from which values have moved that no step changes compute what the interpreter does.
#include <array>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Values = std::vector<Value>;
using Types = std::vector<Type>;

const Type steps_taken(DType::i32, {}), row(DType::f32, {16}), matrix(DType::f32, {40, 16}), column(DType::f32, {40});

// Runs `body` on (step, row, matrix, column) `steps` times; the body gives the next row.
Value repeated(Graph& g, int steps, std::span<const Value> carried,
               const std::function<Value(Graph&, std::span<const Value>)>& body) {
  const Types types{steps_taken, row, matrix, column};
  const auto condition = ir::make_graph(types, [&](Graph& into, std::span<const Value> in) {
    return Values{ir::compare(in[0], ir::constant(into, steps_taken, steps), ir::Direction::LT)};
  });
  const auto step = ir::make_graph(types, [&](Graph& into, std::span<const Value> in) {
    return Values{ir::add(in[0], ir::constant(into, steps_taken, 1)), body(into, in), in[2], in[3]};
  });
  const Values initial{ir::constant(g, steps_taken, 0), carried[0], carried[1], carried[2]};
  return ir::while_(initial, condition, step)[1];
}

Value product(std::span<const Value> in) {
  const std::int64_t first[] = {0};
  return ir::dot_general(in[3], in[2], {{}, {}, first, first});
}

// Small whole numbers, of which all sums are exact.
Array whole_numbers(Type type) {
  Array array(type);
  std::int64_t at = 0;
  for (float& x : array.data<float>()) x = static_cast<float>(at++ * 7 % 5 - 2);
  return array;
}

void expect_as_interpreted(const Graph& graph) {
  const std::vector inputs{whole_numbers(row), whole_numbers(matrix), whole_numbers(column)};
  EXPECT_EQ(test::run_compiled(graph, inputs), ir::interpret(graph, inputs));
}

class HoistedLoops : public testing::TestWithParam<int> {};  // by number of steps

TEST_P(HoistedLoops, AProductLeavesALoop) {
  expect_as_interpreted(*ir::make_graph(Types{row, matrix, column}, [&](Graph& g, std::span<const Value> x) {
    return Values{repeated(g, GetParam(), x, [](Graph&, std::span<const Value> in) { return in[1] + product(in); })};
  }));
}

TEST_P(HoistedLoops, AProductLeavesTwoLoops) {
  expect_as_interpreted(*ir::make_graph(Types{row, matrix, column}, [&](Graph& g, std::span<const Value> x) {
    return Values{repeated(g, 2, x, [&](Graph& into, std::span<const Value> in) {
      return repeated(into, GetParam(), in.subspan(1),
                      [](Graph&, std::span<const Value> inner) { return inner[1] + product(inner); });
    })};
  }));
}

TEST_P(HoistedLoops, AValueThatALoopReturnsComesFromBefore) {
  expect_as_interpreted(*ir::make_graph(Types{row, matrix, column}, [&](Graph& g, std::span<const Value> x) {
    return Values{repeated(g, GetParam(), x, [](Graph&, std::span<const Value> in) { return product(in); })};
  }));
}

INSTANTIATE_TEST_SUITE_P(Steps, HoistedLoops, testing::Values(0, 1, 3));

}  // namespace
}  // namespace weft
