#include <weft/compiler/passes/apply_body.h>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Value;

std::vector<Value> apply_body(ir::Graph& into, const ir::Graph& body, std::span<const Value> inputs) {
  const Type shape = inputs[0].type();
  std::vector<Value> values(body.nodes().size());  // bodies of scalars have nodes of one result
  for (std::size_t i = 0; i < inputs.size(); ++i) values[body.inputs()[i].node->id] = inputs[i];
  for (const ir::Node* node : body.nodes()) {
    if (ir::is_parameter(*node)) continue;
    const Type type = shape.with(node->type().dtype());
    if (const auto* constant = node->attributes_if<ir::ConstantAttributes>()) {
      values[node->id] = ir::broadcast(ir::constant(into, constant->value), type);
      continue;
    }
    std::vector<Value> operands;
    for (const Value operand : node->operands) operands.push_back(values[operand.node->id]);
    values[node->id] = into.append(*node->op, operands, node->attribute_data, std::span(&type, 1)).result();
  }
  std::vector<Value> results;
  for (const Value output : body.outputs()) results.push_back(values[output.node->id]);
  return results;
}

}  // namespace weft::compiler
