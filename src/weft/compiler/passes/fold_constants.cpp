#include <algorithm>

#include <weft/base/size.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/rewrite.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

// Larger constants would cost the program more memory than computing them costs time.
constexpr std::int64_t most_elements = 1024;

bool is_constant(Value v) { return v.node->op == &ir::ops::constant; }

bool is_splat(Value v) { return v.node->attributes<ir::ConstantAttributes>().value.is_splat(); }

bool computes(const Node& node) {
  switch (node.op->kind) {
    case ir::Kind::elementwise:
    case ir::Kind::shape:
    case ir::Kind::reduction:
    case ir::Kind::contraction: return !node.operands.empty();
    default: return false;
  }
}

ir::Array element_of(Value v) {
  const auto& literal = v.node->attributes<ir::ConstantAttributes>().value;
  return ir::Array(ir::Literal{Type(v.dtype(), {}), literal.bytes});
}

// An elementwise op of constants that are each one element for all: that op of the elements.
std::vector<Value> fold_splats(ir::Graph& graph, const Node& node, std::span<const Value> operands) {
  ir::Graph single;
  std::vector<ir::Array> elements;
  std::vector<Value> inputs;
  for (const Value v : operands) {
    elements.push_back(element_of(v));
    inputs.push_back(single.add_input(elements.back().type()));
  }
  const Type type(node.type().dtype(), {});
  single.set_outputs({single.append(*node.op, inputs, node.attribute_data, std::span(&type, 1)).result()});
  const auto result = ir::interpret(single, elements);
  return {ir::constant(graph, ir::Literal{node.type(), result[0].bytes()})};
}

}  // namespace

std::shared_ptr<ir::Graph> fold_constants(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    if (!computes(node) || !std::ranges::all_of(operands, is_constant)) return std::nullopt;
    if (node.op->kind == ir::Kind::elementwise && !product_of(node.type().dims()).is(0) &&
        std::ranges::all_of(operands, is_splat))
      return fold_splats(rewriter.graph(), node, operands);
    const auto small = [](Type t) { return t.is_static() && t.elements() <= most_elements; };
    if (!std::ranges::all_of(node.types, small) || !std::ranges::all_of(operands, small, &Value::type))
      return std::nullopt;
    std::vector<ir::Array> arrays;
    for (const Value v : operands) arrays.emplace_back(v.node->attributes<ir::ConstantAttributes>().value);
    std::vector<Value> results;
    for (const ir::Array& array : ir::interpret_node(node, arrays))
      results.push_back(ir::constant(rewriter.graph(), array.literal()));
    return results;
  });
}

}  // namespace weft::compiler
