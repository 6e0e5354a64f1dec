// What each graph pass does, on graphs that are small enough to count nodes.
#include <algorithm>
#include <array>
#include <functional>

#include <gtest/gtest.h>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>

namespace weft::compiler {
namespace {

std::shared_ptr<ir::Graph> expand_dots_here(const ir::Graph& graph) { return expand_dots(graph, Target::host()); }

using ir::Array;
using ir::Value;

using Body = std::function<std::vector<Value>(ir::Graph&, std::span<const Value>)>;

// Returns the graph after the pass, after verifying it and checking that it computes the same.
std::shared_ptr<ir::Graph> expand_small_dots_on_host(const ir::Graph& graph) {
  return expand_small_dots(graph, Target::host());
}

std::shared_ptr<const ir::Graph> after(std::shared_ptr<ir::Graph> (*pass)(const ir::Graph&), std::vector<Type> types,
                                       const Body& body) {
  const auto graph = ir::make_graph(types, body);
  auto result = pass(*graph);
  if (!result) return graph;
  ir::verify(*result);
  std::vector<Array> inputs;
  for (const Type t : types) {
    Array& input = inputs.emplace_back(t);
    for (std::int64_t i = 0; i < input.size(); ++i)
      visit(t.dtype(), [&](auto tag) { input.data<decltype(tag)>()[i] = static_cast<decltype(tag)>(i % 5 + 1); });
  }
  EXPECT_EQ(ir::interpret(*graph, inputs), ir::interpret(*result, inputs));
  return result;
}

int count(const ir::Graph& graph, const ir::Op& op) {
  return static_cast<int>(std::ranges::count(graph.nodes(), &op, &ir::Node::op));
}

const Type matrix(DType::f32, {4, 6}), integers(DType::i32, {4, 6}), scalar(DType::f32, {});

TEST(FoldConstants, ComputesWhatDependsOnConstantsAlone) {
  const auto graph = after(fold_constants, {matrix}, [](ir::Graph& g, auto x) {
    const Value two = ir::constant(g, matrix, 2);
    const std::int64_t rows[] = {0};
    const float column[] = {1, 2, 3, 4};
    const Value literal = ir::constant(g, ir::Literal{Type(DType::f32, {4}), std::as_bytes(std::span(column))});
    return std::vector{x[0] * ir::sqrt(two * two), ir::broadcast_in_dim(literal + 1.0, matrix, rows) + x[0],
                       x[0] * ir::exponential(two)};
  });
  EXPECT_EQ(count(*graph, ir::ops::sqrt), 0);
  EXPECT_EQ(count(*graph, ir::ops::exponential), 1);  // its last bits depend on the implementation
  EXPECT_EQ(count(*graph, ir::ops::add), 1);
}

TEST(Simplify, RemovesNeutralElementsAndMovesThatUndoEachOther) {
  const auto graph = after(simplify, {integers}, [](ir::Graph& g, auto x) {
    const std::int64_t swap[] = {1, 0};
    const Value one = ir::constant(g, integers, 1), zero = ir::constant(g, integers, 0);
    const Value back = ir::transpose(ir::transpose(x[0] * one + zero, swap), swap);
    return std::vector{ir::reshape(ir::reshape(back, {24}), {4, 6})};
  });
  EXPECT_EQ(graph->outputs()[0], graph->inputs()[0]);
}

// Returns a constant whose elements are all the op's identity; for sums of floats that is -0, since -0 + x is x for every x.
Value identity(ir::Graph& g, const ir::Op& op, Type type) {
  if (is_float(type.dtype()) && &op == &ir::ops::add) return ir::constant(g, type, -0.0);
  const std::uint64_t bits = *identity_of(op, type.dtype());
  const auto bytes = std::as_bytes(std::span(&bits, 1)).first(byte_size(type.dtype()));
  return ir::constant(g, ir::Literal{type, bytes});
}

TEST(Simplify, LeavesOutWhatItsDeclarationCallsAnIdentity) {
  for (const ir::Op* op : ir::all_ops())
    for (int t = 0; t < dtype_count; ++t) {
      const Type type(static_cast<DType>(t), {3});
      if (op->identity == ir::Identity::none || !ir::contains(op->domain, type.dtype())) continue;
      SCOPED_TRACE(concat(op->name, ' ', type));
      const auto graph = after(simplify, {type}, [&](ir::Graph& g, auto x) {
        const Value e = identity(g, *op, type);
        std::vector<Value> results{g.append(*op, std::array{x[0], e}).result()};
        if (op->commutative) results.push_back(g.append(*op, std::array{e, x[0]}).result());
        return results;
      });
      for (const Value v : graph->outputs()) EXPECT_EQ(v, graph->inputs()[0]);
    }
}

TEST(Simplify, UndoesWhatItsDeclarationCallsAnInvolution) {
  const std::int64_t rows[] = {0}, columns[] = {1};
  const ir::DimensionsAttributes by_rows{rows}, by_columns{columns};
  for (const ir::Op* op : ir::all_ops()) {
    if (!op->involution) continue;
    SCOPED_TRACE(op->name);
    const void* first = op->attributes ? &by_rows : nullptr;
    const void* second = op->attributes ? &by_columns : nullptr;
    const auto graph = after(simplify, {integers}, [&](ir::Graph& g, auto x) {
      const Value once = g.append(*op, x, first).result();
      return std::vector{g.append(*op, std::array{once}, first).result(),
                         g.append(*op, std::array{once}, second).result()};
    });
    EXPECT_EQ(graph->outputs()[0], graph->inputs()[0]);
    EXPECT_EQ(graph->outputs()[1] == graph->inputs()[0], !op->attributes);
  }
}

TEST(Simplify, KeepsWhatFloatingPointCanTell) {
  const auto graph = after(simplify, {matrix}, [](ir::Graph& g, auto x) {
    return std::vector{x[0] + ir::constant(g, matrix, 0), x[0] * ir::constant(g, matrix, 0)};
  });
  EXPECT_EQ(count(*graph, ir::ops::add), 1);
  EXPECT_EQ(count(*graph, ir::ops::multiply), 1);
}

TEST(EliminateCommonSubexpressions, ComputesEqualNodesOnce) {
  const auto graph = after(eliminate_common_subexpressions, {matrix}, [](ir::Graph&, auto x) {
    return std::vector{ir::tanh(x[0]) + ir::tanh(x[0]), ir::tanh(x[0])};
  });
  EXPECT_EQ(count(*graph, ir::ops::tanh), 1);
}

TEST(EliminateDeadNodes, DropsWhatNoOutputNeeds) {
  const auto graph = after(eliminate_dead_nodes, {matrix, matrix}, [](ir::Graph&, auto x) {
    ir::tanh(x[0]);
    return std::vector{x[1] + x[1]};
  });
  EXPECT_EQ(graph->inputs().size(), 2u);
  EXPECT_EQ(graph->nodes().size(), 3u);
}

TEST(InlineComposites, PutsTheDecompositionInTheirPlace) {
  const auto graph = after([](const ir::Graph& g) { return inline_composites(g); }, {matrix},
                           [](ir::Graph&, auto x) { return std::vector{ir::softmax(x[0])}; });
  EXPECT_EQ(count(*graph, ir::ops::composite), 0);
  EXPECT_EQ(count(*graph, ir::ops::exponential), 1);
}

TEST(ExpandDots, MakesMultiplyAndReduceOfIntegers) {
  const std::int64_t lhs[] = {1}, rhs[] = {0};
  const auto graph = after(expand_dots_here, {integers, Type(DType::i32, {6, 3})}, [&](ir::Graph&, auto x) {
    return std::vector{ir::dot_general(x[0], x[1], {{}, {}, lhs, rhs})};
  });
  EXPECT_EQ(count(*graph, ir::ops::dot_general), 0);
  EXPECT_EQ(count(*graph, ir::ops::reduce), 1);
}

// However large, an outer product is one multiplication for each element, which can be fused with what it reads.
TEST(ExpandSmallDots, MultipliesOuterProducts) {
  const std::int64_t batch[] = {0}, columns[] = {2}, rows[] = {1};
  const auto graph = after(
      expand_small_dots_on_host, {Type(DType::f32, {8, 64, 1}), Type(DType::f32, {8, 1, 64})},
      [&](ir::Graph&, auto x) { return std::vector{ir::dot_general(x[0], x[1], {batch, batch, columns, rows})}; });
  EXPECT_EQ(count(*graph, ir::ops::dot_general), 0);
  EXPECT_EQ(count(*graph, ir::ops::reduce), 0);
  const auto kept = after(
      expand_small_dots_on_host, {Type(DType::f32, {8, 64, 32}), Type(DType::f32, {8, 32, 64})},
      [&](ir::Graph&, auto x) { return std::vector{ir::dot_general(x[0], x[1], {batch, batch, columns, rows})}; });
  EXPECT_EQ(count(*kept, ir::ops::dot_general), 1);
}

TEST(OrderDotOperands, TransposesWhatLiesInNoMatrixOrder) {
  const std::int64_t lhs[] = {1}, rhs[] = {0};
  const auto graph =
      after(order_dot_operands, {Type(DType::f32, {2, 5, 3}), Type(DType::f32, {5, 7})},
            [&](ir::Graph&, auto x) { return std::vector{ir::dot_general(x[0], x[1], {{}, {}, lhs, rhs})}; });
  EXPECT_EQ(count(*graph, ir::ops::transpose), 1);
}

TEST(SplitReductions, MakesTwoOfLongAndOfMixedOnes) {
  const auto graph = after([](const ir::Graph& g) { return split_reductions(g, Target::host()); },
                           {Type(DType::i32, {65536}), Type(DType::i32, {3, 4, 5})},
                           [](ir::Graph&, auto x) {
                             const std::int64_t all[] = {0}, mixed[] = {0, 2};
                             return std::vector{ir::reduce_sum(x[0], all), ir::reduce_sum(x[1], mixed)};
                           });
  EXPECT_EQ(count(*graph, ir::ops::reduce), 4);
}

TEST(Pipeline, LeavesOutWhatIsSwitchedOffAndKnowsItsNames) {
  const auto graph = ir::make_graph(std::vector{matrix},
                                    [](ir::Graph&, auto x) { return std::vector{ir::tanh(x[0]) + ir::tanh(x[0])}; });
  Options options;
  Report report;
  options.disabled_passes = {"eliminate-common-subexpressions"};
  EXPECT_EQ(count(*run_pipeline(*graph, options, report), ir::ops::tanh), 2);
  options.disabled_passes = {"no-such-pass"};
  EXPECT_THROW(run_pipeline(*graph, options, report), Error);
}

}  // namespace
}  // namespace weft::compiler
