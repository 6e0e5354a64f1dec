// Shrinking with injected faults: a predicate says what fails.
#include <weft/fuzz/shrink.h>

#include <algorithm>

#include <gtest/gtest.h>

#include <weft/fuzz/generator.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>

namespace weft::fuzz {
namespace {

using ir::Value;

std::int64_t count(const ir::Graph& graph, const ir::Op& op) {
  std::int64_t n = 0;
  for (const ir::Node* node : graph.nodes()) {
    n += node->op == &op;
    for (const ir::Graph* region : node->regions) n += count(*region, op);
  }
  return n;
}

// Counts the nodes that are neither inputs nor constants.
std::size_t ops_of(const ir::Graph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes(), [](const ir::Node* n) { return n->op->kind != ir::Kind::source; }));
}

// Shrinks random graphs that contain the op, as if that op were always wrong.
void expect_shrunk_to_one(const ir::Op& op) {
  int found = 0;
  for (std::uint64_t seed = 0; found < 5 && seed < 2000; ++seed) {
    const auto graph = random_graph(seed);
    if (count(*graph, op) == 0) continue;
    ++found;
    const auto small = shrink(graph, [&](const ir::Graph& g) { return count(g, op) > 0; });
    EXPECT_NO_THROW(ir::verify(*small)) << "seed " << seed;
    EXPECT_EQ(count(*small, op), 1) << "seed " << seed;
    EXPECT_LE(ops_of(*small), 1u) << "seed " << seed;  // the op itself, or the reduction, loop or sort around it
    EXPECT_EQ(small->outputs().size(), 1u) << "seed " << seed;
  }
  EXPECT_EQ(found, 5);
}

TEST(Shrink, LeavesNothingButTheCulprit) {
  expect_shrunk_to_one(ir::ops::add);
  expect_shrunk_to_one(ir::ops::tanh);
  expect_shrunk_to_one(ir::ops::dot_general);
  expect_shrunk_to_one(ir::ops::scatter);
  expect_shrunk_to_one(ir::ops::while_);
}

// A miscompile of a pair of ops: a multiplication whose result is exponentiated, in matrices with more than 4 rows.
TEST(Shrink, KeepsWhatTheFaultNeeds) {
  const Type x(DType::f32, {40, 12});
  const auto graph = ir::make_graph(std::array{x, x}, [](ir::Graph&, auto in) {
    const Value h = ir::tanh(in[0] - in[1]), p = h * ir::abs(in[1]), e = ir::exponential(p);
    return std::vector{h, ir::reduce_sum(e + h, std::vector<std::int64_t>{1}), ir::log(in[0])};
  });
  const auto fails = [](const ir::Graph& g) {
    return std::ranges::any_of(g.nodes(), [](const ir::Node* n) {
      return n->op == &ir::ops::exponential && n->operand(0).node->op == &ir::ops::multiply && n->type().rank() == 2 &&
             n->type().size(0) > 4;
    });
  };
  ASSERT_TRUE(fails(*graph));
  const auto small = shrink(graph, fails);
  EXPECT_TRUE(fails(*small));
  EXPECT_EQ(ops_of(*small), 2u);
  EXPECT_LE(small->outputs()[0].type().elements(), 9);
}

}  // namespace
}  // namespace weft::fuzz
