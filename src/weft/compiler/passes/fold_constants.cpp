#include <algorithm>

#include <weft/base/size.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

// Larger constants would cost more memory than computing them costs time.
constexpr std::int64_t most_folded_elements = 1024;

bool is_constant(Value v) { return ir::literal_of(v) != nullptr; }

bool is_splat(Value v) { return ir::splat_of(v) != nullptr; }

// A ScalarBuilder that notes whether all results that it is asked for are exact.
class ExactnessCheck final : public ir::ScalarBuilder {
 public:
  bool exact() const { return exact_; }

  ir::Scalar constant(DType dtype, double) override { return {0, dtype}; }
  ir::Scalar apply(ir::Prim prim, std::initializer_list<ir::Scalar> operands) override {
    const DType dtype = operands.begin()->dtype;
    exact_ = exact_ && (!is_float(dtype) || ir::is_exactly_rounded(prim));
    return {0, dtype};
  }
  ir::Scalar compare(ir::Direction, ir::Scalar, ir::Scalar) override { return {0, DType::boolean}; }
  ir::Scalar select(ir::Scalar, ir::Scalar on_true, ir::Scalar) override { return on_true; }
  ir::Scalar convert(ir::Scalar, DType dtype) override { return {0, dtype}; }
  ir::Scalar bitcast(ir::Scalar, DType dtype) override { return {0, dtype}; }

 private:
  bool exact_ = true;
};

bool is_exact(const Node& node) {
  ExactnessCheck check;
  std::vector<ir::Scalar> operands;
  for (const Value v : node.operands) operands.push_back({0, v.dtype()});
  node.op->scalar(check, {operands, node.type().dtype(), node.attribute_data});
  return check.exact();
}

// Returns whether the interpreter gives the same bits as the program: a sum of floats depends on its order, a sine on its implementation.
bool computes(const Node& node) {
  if (node.operands.empty()) return false;
  const auto of_floats = [](Type t) { return is_float(t.dtype()); };
  switch (node.op->kind) {
    case ir::Kind::elementwise: return is_exact(node);
    case ir::Kind::shape: return true;
    case ir::Kind::reduction:
    case ir::Kind::contraction: return std::ranges::none_of(node.types, of_floats);
    default: return false;
  }
}

ir::Array element_of(Value v) { return ir::Array(ir::Literal{Type(v.dtype(), {}), ir::literal_of(v)->bytes}); }

// Folds an elementwise op of splats by applying the op to their elements.
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
  // Later folding always depends on something that can be folded at first.
  const auto first = [](const Node* n) { return computes(*n) && std::ranges::all_of(n->operands, is_constant); };
  if (std::ranges::none_of(graph.nodes(), first)) return nullptr;
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
    if (!computes(node) || !std::ranges::all_of(operands, is_constant)) return std::nullopt;
    if (node.op->kind == ir::Kind::elementwise && !product_of(node.type().dims()).is(0) &&
        std::ranges::all_of(operands, is_splat))
      return fold_splats(rewriter.graph(), node, operands);
    const auto small = [](Type t) { return t.elements() <= most_folded_elements; };
    if (!is_static(node) || !std::ranges::all_of(node.types, small) ||
        !std::ranges::all_of(operands, small, &Value::type))
      return std::nullopt;
    std::vector<ir::Array> arrays;
    for (const Value v : operands) arrays.emplace_back(*ir::literal_of(v));
    std::vector<Value> results;
    for (const ir::Array& array : ir::interpret_node(node, arrays))
      results.push_back(ir::constant(rewriter.graph(), array.literal()));
    return results;
  });
}

}  // namespace weft::compiler
