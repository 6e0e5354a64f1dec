// Batches of small products, which are loops, give the same elements as the interpreter: alone, however their operands lie, and two in a loop,
// whose sums are kept in registers together.
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

// A batch of products [rows, sums] x [sums, columns]. The left operand is given as [sums, rows] if its columns are neighbours, and the right one
// as [columns, sums].
struct Product {
  Dim batch = 0;
  std::int64_t rows = 0, sums = 0, columns = 0;
  bool turns_lhs = false, turns_rhs = false;
  DType dtype = DType::f32;
};

constexpr std::int64_t first[] = {0}, second[] = {1}, third[] = {2};

std::shared_ptr<const ir::Graph> graph_of(const Product& p) {
  const Type lhs(p.dtype, {p.batch, p.turns_lhs ? p.sums : p.rows, p.turns_lhs ? p.rows : p.sums}),
      rhs(p.dtype, {p.batch, p.turns_rhs ? p.columns : p.sums, p.turns_rhs ? p.sums : p.columns});
  return ir::make_graph(std::vector{lhs, rhs}, [&](ir::Graph&, std::span<const Value> in) {
    return std::vector{
        ir::dot_general(in[0], in[1], {first, first, p.turns_lhs ? second : third, p.turns_rhs ? third : second})};
  });
}

class SmallProducts : public testing::TestWithParam<int> {
 protected:
  void expect_same_elements(const ir::Graph& graph) const {
    const compiler::Target target = test::host_with_lanes(GetParam());
    std::vector<Array> inputs;
    for (const Value v : graph.inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
    const std::vector<Array> got = test::run_compiled(graph, inputs, {.target = &target}),
                             want = ir::interpret(graph, inputs);
    SCOPED_TRACE(concat(target.lanes, " lanes\n", ir::print(graph)));
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) test::expect_near(got[i], want[i]);
  }
};

TEST_P(SmallProducts, HaveOperandsOfAnyOrder) {
  for (const bool turns_lhs : {false, true})
    for (const bool turns_rhs : {false, true})
      for (const std::int64_t rows : {3, 8, 27})
        for (const std::int64_t columns : {4, 8, 13, 32, 70})
          for (const std::int64_t sums : {3, 16, 21, 130})
            expect_same_elements(*graph_of({3, rows, sums, columns, turns_lhs, turns_rhs}));
}

TEST_P(SmallProducts, HaveElementsOfAnyType) {
  for (const DType dtype : {DType::f64, DType::bf16, DType::f16, DType::i32})
    for (const std::int64_t columns : {6, 19, 32})
      expect_same_elements(*graph_of({5, 10, 12, columns, false, true, dtype}));
}

// The gradient of the products of all pairs of rows of a matrix is such a sum.
TEST_P(SmallProducts, AreAddedInOneLoop) {
  for (const std::int64_t columns : {1, 7, 16, 33, 64, 70, 120}) {
    const Type pairs(DType::f32, {30, 2, 2}), matrix(DType::f32, {30, 2, columns});
    expect_same_elements(*ir::make_graph(std::vector{pairs, matrix}, [&](ir::Graph&, std::span<const Value> in) {
      return std::vector{ir::dot_general(in[0], in[1], {first, first, third, second}) +
                         ir::dot_general(in[0], in[1], {first, first, second, second})};
    }));
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, SmallProducts, testing::Values(4, 8, 16));

}  // namespace
}  // namespace weft
