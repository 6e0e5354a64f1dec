// Gathers and scatters of one window, at places inside and outside of the operand, by themselves and in loops.
#include <array>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;

const Type table(DType::f32, {5, 3}), window(DType::f32, {3});

Value row_of(Value x, Value place) {
  const std::int64_t first[] = {0}, sizes[] = {1, 3};
  ir::GatherAttributes attributes;
  attributes.offset_dims = attributes.collapsed_slice_dims = attributes.start_index_map = first;
  attributes.slice_sizes = sizes;
  return ir::gather(x, place, attributes);
}

Value with_row(Value x, Value place, Value row, const ir::Op* op) {
  const std::int64_t first[] = {0};
  const auto replace = ir::make_graph(std::vector(2, Type(DType::f32, {})),
                                      [](Graph&, std::span<const Value> in) { return std::vector{in[1]}; });
  ir::ScatterAttributes attributes;
  attributes.update_window_dims = attributes.inserted_window_dims = attributes.scatter_dims_to_operand_dims = first;
  return ir::scatter(x, place, row, attributes, op ? ir::reduction_body(*op, DType::f32) : replace);
}

Array numbers(Type type) {
  Array array(type);
  float next = -2;
  for (float& x : array.data<float>()) x = next += 0.75f;
  return array;
}

void expect_as_interpreted(const Graph& graph, std::span<const Array> inputs) {
  EXPECT_EQ(test::run_compiled(graph, inputs), ir::interpret(graph, inputs));
}

TEST(PlacedWindows, AtPlacesThatAreData) {
  for (const DType index : {DType::i8, DType::u8, DType::i32, DType::i64, DType::u64})
    for (const int at : {-100, -1, 0, 2, 4, 5, 100}) {
      const Type place(index, {1});
      for (const ir::Op* op : {static_cast<const ir::Op*>(nullptr), &ir::ops::add, &ir::ops::minimum}) {
        const auto graph = ir::make_graph(std::vector{table, place, window}, [&](Graph&, std::span<const Value> in) {
          return std::vector{row_of(in[0], in[1]), with_row(in[0], in[1], in[2], op)};
        });
        expect_as_interpreted(*graph, std::vector{numbers(table), Array::splat(place, at), numbers(window)});
      }
    }
}

TEST(PlacedWindows, AtPlacesThatAreConstant) {
  for (const int at : {-7, 0, 3, 4, 5}) {
    for (const ir::Op* op : {static_cast<const ir::Op*>(nullptr), &ir::ops::add, &ir::ops::maximum}) {
      const auto graph = ir::make_graph(std::vector{table, window}, [&](Graph& g, std::span<const Value> in) {
        const Value place = ir::constant(g, Type(DType::i32, {1}), at), splat = ir::constant(g, table, -0.0);
        return std::vector{row_of(in[0], place), with_row(in[0], place, in[1], op), with_row(splat, place, in[1], op)};
      });
      expect_as_interpreted(*graph, std::vector{numbers(table), numbers(window)});
    }
  }
}

// Each step adds a row to the one behind it, from before the first to after the last.
TEST(PlacedWindows, InALoop) {
  const Type step(DType::i32, {});
  const std::vector types{step, table};
  const auto condition = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    return std::vector{ir::compare(in[0], ir::constant(g, step, 7), ir::Direction::LT)};
  });
  const auto body = ir::make_graph(types, [&](Graph& g, std::span<const Value> in) {
    const Value place = ir::reshape(in[0], {Dim(1)}), next = ir::add(in[0], ir::constant(g, step, 1));
    const Value behind = ir::reshape(next, {Dim(1)});
    return std::vector{next, with_row(in[1], behind, row_of(in[1], place), &ir::ops::add)};
  });
  const auto graph = ir::make_graph(std::vector{table}, [&](Graph& g, std::span<const Value> in) {
    const std::array initial{ir::constant(g, step, -3), in[0]};
    return std::vector{ir::while_(initial, condition, body)[1]};
  });
  expect_as_interpreted(*graph, std::vector{numbers(table)});
}

}  // namespace
}  // namespace weft
