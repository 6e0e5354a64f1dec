// Batches of small products, which are loops, give the same elements as the interpreter: alone and two in a loop, whose sums are kept in
// registers together.
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

constexpr std::int64_t first[] = {0}, second[] = {1}, third[] = {2};

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
