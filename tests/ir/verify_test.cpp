#include <weft/ir/verify.h>

#include <tests/ir/op_samples.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Type vector_type(DType::f32, {4}), scalar(DType::f32, {});

// Contains x, y, x + y, its sum, and the product of both, which has a location.
struct Sample {
  Graph graph;
  Value x, y, sum, total, product;

  Sample() {
    const std::int64_t dimensions[] = {0};
    x = graph.add_input(vector_type);
    y = graph.add_input(vector_type);
    sum = x + y;
    total = reduce_sum(sum, dimensions);
    graph.set_location({"train.cpp", "blocks.3", 31});
    product = sum * broadcast(total, vector_type);
    graph.set_outputs({product, total});
  }

  // Damages an operand in place, as only a faulty pass could.
  static void set_operand(Value of, std::size_t i, Value to) { const_cast<Value&>(of.node->operands[i]) = to; }
};

template <class... Texts>
void expect_error(const Graph& graph, const Texts&... texts) {
  EXPECT_THAT([&] { verify(graph); }, ThrowsMessage<Error>(AllOf(HasSubstr(texts)...)));
}

TEST(Verify, AcceptsWhatAppendMade) {
  EXPECT_NO_THROW(verify(Sample().graph));
  EXPECT_NO_THROW(verify(Graph()));
}

TEST(Verify, AcceptsEveryOp) {
  for (const Op* op : all_ops())
    for (const OpSample& sample : samples(*op)) EXPECT_NO_THROW(verify(*sample.graph)) << sample.name;
}

TEST(Verify, NamesGraphNodeOpAndPlace) {
  Sample s;
  Sample::set_operand(s.product, 1, s.total);
  expect_error(s.graph, "verify: main: node ", ", multiply (train.cpp:31, blocks.3): ", "tensor<4xf32>, tensor<f32>");
}

TEST(Verify, FindsOperandsThatAreNotEarlierValuesOfTheGraph) {
  Sample s, other;
  Sample::set_operand(s.sum, 1, other.y);
  expect_error(s.graph, "node 2, add", "operand 1 is not a value of this graph");
  Sample::set_operand(s.sum, 1, s.product);
  expect_error(s.graph, "operand 1 comes later");
  Sample::set_operand(s.sum, 1, s.sum);
  expect_error(s.graph, "operand 1 comes later");
  Sample::set_operand(s.sum, 1, {});
  expect_error(s.graph, "operand 1 is not a value");
  Sample::set_operand(s.sum, 1, {s.x.node, 1});
  expect_error(s.graph, "operand 1 is result 1 of parameter, which has 1");
}

TEST(Verify, FindsWrongTypes) {
  Sample s;
  const Type types[] = {Type(DType::f32, {5}), vector_type};
  s.sum.node->types = std::span(types).first(1);
  expect_error(s.graph, "node 2, add", "result 0 is tensor<5xf32>, not tensor<4xf32>");
  s.sum.node->types = std::span(types + 1, 1);
  EXPECT_NO_THROW(verify(s.graph));
  s.sum.node->types = types;
  expect_error(s.graph, "it has 2 results, not 1");
}

TEST(Verify, FindsWrongIdsArityAndAttributes) {
  Sample s;
  s.total.node->id = 0;
  expect_error(s.graph, "reduce", "its id is 0");
  Sample t;
  t.sum.node->operands = t.sum.node->operands.first(1);
  expect_error(t.graph, "it has 1 operands, not 2");
  Sample u;
  u.total.node->attribute_data = nullptr;
  expect_error(u.graph, "it has no attributes");
  Sample v;
  const std::int64_t dimensions[] = {1};
  const DimensionsAttributes attributes{dimensions};
  v.total.node->attribute_data = &attributes;
  expect_error(v.graph, "reduce", "dimensions");
  Sample w;
  w.sum.node->graph = &v.graph;
  expect_error(w.graph, "it belongs to another graph");
}

TEST(Verify, FindsWrongRegions) {
  Sample s;
  s.total.node->regions = {};
  expect_error(s.graph, "it has 0 regions, not 1");
  const Graph* none = nullptr;
  s.total.node->regions = std::span(&none, 1);
  expect_error(s.graph, "a region is missing");
  const auto wrong = make_graph(std::vector{scalar}, [](Graph&, auto in) { return std::vector{in[0]}; });
  const Graph* region = wrong.get();
  s.total.node->regions = std::span(&region, 1);
  expect_error(s.graph, "reduce", "region");
}

TEST(Verify, LooksIntoRegions) {
  Sample s;
  const auto body = std::make_shared<Graph>();
  body->name = "body";
  const Value a = body->add_input(scalar), b = body->add_input(scalar);
  const Value sum = a + b;
  body->set_outputs({sum});
  const std::int64_t dimensions[] = {0};
  const Value init = constant(s.graph, scalar, 0);
  ir::reduce(std::vector{s.x}, std::vector{init}, dimensions, body);
  EXPECT_NO_THROW(verify(s.graph));
  Sample::set_operand(sum, 0, sum);
  expect_error(s.graph, "verify: main: node ", "reduce", "body: node 2, add (unknown place): operand 0 comes later");
}

TEST(Verify, FindsInputsAndOutputsThatAreNotTheGraphs) {
  Sample s, other;
  s.graph.set_outputs({s.total, other.total});
  expect_error(s.graph, "verify: main: output 1 is not a value of this graph");
  s.graph.set_outputs({s.total, Value()});
  expect_error(s.graph, "output 1 is not a value");

  Sample t;
  const ParameterAttributes again{0};
  t.y.node->attribute_data = &again;
  expect_error(t.graph, "node 1, parameter", "it is parameter 0, but the graph has another input there");
}

}  // namespace
}  // namespace weft::ir
