#include <weft/ir/inline.h>

#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

const Type scalar_f32(DType::f32, {});

// (x, y) -> (exp(x) * y, x), with a node that no output needs.
std::shared_ptr<const Graph> example() {
  return make_graph(std::array{scalar_f32, scalar_f32}, [](Graph&, std::span<const Value> x) {
    tanh(x[1]);
    return std::vector{exponential(x[0]) * x[1], x[0]};
  });
}

TEST(Inline, CopiesWhatOutputsDependOn) {
  Graph graph;
  const Value a = graph.add_input(scalar_f32), b = graph.add_input(scalar_f32);
  graph.set_location({.file = "here.cpp", .scope = "", .line = 7});
  const auto outputs = inline_graph(graph, *example(), std::array{a, b});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].node->op, &ops::multiply);
  EXPECT_EQ(outputs[0].node->operand(1), b);
  EXPECT_EQ(outputs[0].node->location.line, 7u);
  EXPECT_EQ(outputs[1], a);
  EXPECT_EQ(graph.nodes().size(), 4u);
}

TEST(Inline, KeepsSideEffectsUnlessTheGraphIsComputedAgain) {
  const auto from = make_graph(std::array{scalar_f32}, [](Graph& graph, std::span<const Value> x) {
    const CustomCallAttributes call{.target = "somebody.elses", .has_side_effect = true, .backend_config = {}};
    graph.append(ops::custom_call, x, &call);
    return std::vector{exponential(x[0])};
  });
  Graph once, again;
  inline_graph(once, *from, std::array{once.add_input(scalar_f32)});
  EXPECT_EQ(once.nodes().size(), 3u);
  compute_again(again, *from, std::array{again.add_input(scalar_f32)});
  EXPECT_EQ(again.nodes().size(), 2u);
}

TEST(Inline, StopsAtSubstitutes) {
  const auto from = example();
  Graph graph;
  const Value y = graph.add_input(scalar_f32), known = graph.add_input(scalar_f32);
  Inliner inliner(graph, *from);
  inliner.substitute(from->inputs()[1], y);
  inliner.substitute(from->outputs()[0].node->operand(0), known);
  const auto product = inliner.copy(from->outputs().first(1))[0];
  EXPECT_EQ(product.node->operand(0), known);
  EXPECT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(inliner.copy(from->outputs().first(1))[0], product) << "copied a second time";
}

TEST(Inline, RefusesInputsThatDoNotMatch) {
  Graph graph;
  const Value a = graph.add_input(scalar_f32), b = graph.add_input(Type(DType::f64, {}));
  EXPECT_THROW(inline_graph(graph, *example(), std::array{a}), Error);
  EXPECT_THROW(inline_graph(graph, *example(), std::array{a, b}), Error);
}

TEST(ReductionBody, IsSharedAndRecognised) {
  EXPECT_EQ(reduction_body(ops::add, DType::f32), reduction_body(ops::add, DType::f32));
  EXPECT_NE(reduction_body(ops::add, DType::f32), reduction_body(ops::add, DType::f64));
  EXPECT_NE(comparison_body(Direction::LT, DType::f32), comparison_body(Direction::GT, DType::f32));
  EXPECT_EQ(reduction_op(*reduction_body(ops::maximum, DType::i8)), &ops::maximum);
  EXPECT_EQ(reduction_op(*comparison_body(Direction::LT, DType::f32)), nullptr);
  const auto with = [](auto body) {
    return make_graph(std::array{scalar_f32, scalar_f32}, [&](Graph&, auto x) { return std::vector{body(x)}; });
  };
  EXPECT_EQ(reduction_op(*with([](auto x) { return x[1] + x[0]; })), &ops::add);
  EXPECT_EQ(reduction_op(*with([](auto x) { return x[1] - x[0]; })), nullptr);
  EXPECT_EQ(reduction_op(*with([](auto x) { return x[0] + x[0]; })), nullptr);
  EXPECT_EQ(reduction_op(*with([](auto x) { return x[0]; })), nullptr);
}

}  // namespace
}  // namespace weft::ir
