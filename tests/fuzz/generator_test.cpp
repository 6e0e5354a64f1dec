#include <weft/fuzz/generator.h>

#include <map>
#include <set>

#include <gtest/gtest.h>

#include <weft/fuzz/inputs.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>

namespace weft::fuzz {
namespace {

struct Coverage {
  std::map<const ir::Op*, std::set<DType>> dtypes;  // of results, by op
  std::set<int> ranks;
  bool empty = false, regions = false;

  void add(const ir::Graph& graph) {
    for (const ir::Node* node : graph.nodes()) {
      for (const Type type : node->types) {
        dtypes[node->op].insert(type.dtype());
        ranks.insert(type.rank());
        empty = empty || type.elements() == 0;
      }
      for (const ir::Graph* region : node->regions) {
        regions = true;
        add(*region);
      }
    }
  }
};

TEST(Generator, DrawsEveryOpOfTheTable) {
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) coverage.add(*random_graph(seed));
  for (const ir::Op* op : ir::all_ops()) {
    if (op == &ir::ops::parameter || op == &ir::ops::custom_call) continue;
    // These need several processes, a host or only tokens.
    if (op->kind == ir::Kind::collective || op->interpreted || op->domain == 0) continue;
    EXPECT_TRUE(is_generated(*op)) << op->name << " needs a recipe in src/weft/fuzz";
    EXPECT_TRUE(coverage.dtypes.contains(op)) << op->name;
  }
  EXPECT_EQ(coverage.dtypes[&ir::ops::add].size(), static_cast<std::size_t>(dtype_count));
  EXPECT_EQ(coverage.dtypes[&ir::ops::reduce].size(), static_cast<std::size_t>(dtype_count));
  EXPECT_TRUE(coverage.ranks.contains(0));
  EXPECT_TRUE(coverage.ranks.contains(4));
  EXPECT_TRUE(coverage.empty);
  EXPECT_TRUE(coverage.regions);
}

TEST(Generator, IsAFunctionOfTheSeed) {
  EXPECT_TRUE(structurally_equal(*random_graph(7), *random_graph(7)));
  EXPECT_FALSE(structurally_equal(*random_graph(7), *random_graph(8)));
  const auto graph = random_graph(7);
  EXPECT_EQ(random_inputs(*graph, 3), random_inputs(*graph, 3));
}

TEST(Generator, MakesSoundGraphs) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto graph = random_graph(seed);
    EXPECT_NO_THROW(ir::verify(*graph)) << "seed " << seed;
    EXPECT_FALSE(graph->outputs().empty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::fuzz
