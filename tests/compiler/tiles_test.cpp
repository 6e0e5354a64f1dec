// Loops that transpose in registers (Walk::tiles) give the same elements as the interpreter, for every element type and around the edges of
// tiles.
#include <algorithm>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

#include "arrays.h"
#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Value;

std::vector<Array> inputs_of(const ir::Graph& graph) {
  std::vector<Array> inputs;
  for (const Value v : graph.inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  return inputs;
}

void expect_same_elements(const ir::Graph& graph, const compiler::Target& target) {
  const std::vector<Array> inputs = inputs_of(graph);
  EXPECT_EQ(test::run_compiled(graph, inputs, {.target = &target}), ir::interpret(graph, inputs))
      << target.lanes << " lanes\n"
      << ir::print(graph);
}

std::shared_ptr<const ir::Graph> transpose(const Type& type, const std::vector<std::int64_t>& order) {
  return ir::make_graph(std::vector{type}, [&](ir::Graph&, std::span<const Value> in) {
    return std::vector{ir::transpose(in[0], order)};
  });
}

class Tiles : public testing::TestWithParam<int> {};

TEST_P(Tiles, TransposeEveryType) {
  const compiler::Target target = test::host_with_lanes(GetParam());
  for (const DType dtype :
       {DType::boolean, DType::i8, DType::u16, DType::bf16, DType::f16, DType::i32, DType::f32, DType::i64, DType::f64})
    for (const auto& [rows, columns] : {std::pair{64, 64}, {5, 130}, {130, 5}, {65, 67}, {2, 9}, {33, 16}})
      expect_same_elements(*transpose(Type(dtype, {rows, columns}), std::vector<std::int64_t>{1, 0}), target);
}

TEST_P(Tiles, TransposeDimensionsInEveryOrder) {
  const compiler::Target target = test::host_with_lanes(GetParam());
  std::vector<std::int64_t> order{0, 1, 2, 3};
  do expect_same_elements(*transpose(Type(DType::f32, {3, 18, 9, 21}), order), target);
  while (std::ranges::next_permutation(order).found);
}

// The neighbours of a transpose are computed in the same loop: a value of each row, one of each lane, one that lies as the result does, and
// more expressions than are repeated for each row of a tile.
TEST_P(Tiles, AreFusedWithTheirNeighbours) {
  const compiler::Target target = test::host_with_lanes(GetParam());
  const auto graph = ir::parse(R"(
    func.func @main(%x: tensor<35x71xf32>, %row: tensor<71xf32>, %lane: tensor<35xf32>, %y: tensor<71x35xf32>)
        -> (tensor<71x35xf32>, tensor<71x35xbf16>) {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<35x71xf32>) -> tensor<71x35xf32>
      %1 = stablehlo.negate %row : tensor<71xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<71xf32>) -> tensor<71x35xf32>
      %3 = stablehlo.broadcast_in_dim %lane, dims = [1] : (tensor<35xf32>) -> tensor<71x35xf32>
      %4 = stablehlo.maximum %0, %2 : tensor<71x35xf32>
      %5 = stablehlo.minimum %4, %3 : tensor<71x35xf32>
      %6 = stablehlo.maximum %5, %y : tensor<71x35xf32>
      %7 = stablehlo.abs %6 : tensor<71x35xf32>
      %8 = stablehlo.convert %7 : (tensor<71x35xf32>) -> tensor<71x35xbf16>
      return %6, %8 : tensor<71x35xf32>, tensor<71x35xbf16>
    })");
  expect_same_elements(*graph, target);
}

INSTANTIATE_TEST_SUITE_P(Lanes, Tiles, testing::Values(1, 4, 8, 16));

// The result may take the place of the operand that lies as it does, but not of the one that is transposed.
TEST(TilesOfTheHost, StoreOverAnOperandInPlace) {
  const Type square(DType::f32, {70, 70});
  const auto graph = ir::make_graph(std::vector{square, square}, [](ir::Graph&, std::span<const Value> in) {
    constexpr std::int64_t turned[] = {1, 0};
    return std::vector{ir::transpose(in[0], turned) + in[1]};
  });
  const std::vector<Array> inputs = inputs_of(*graph);
  EXPECT_EQ(test::run_compiled(*graph, inputs, {.donatable = {true, true}}), ir::interpret(*graph, inputs));
}

}  // namespace
}  // namespace weft
