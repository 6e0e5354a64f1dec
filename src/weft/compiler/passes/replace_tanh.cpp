// 1 + tanh(x), as GELU computes it, is 2 logistic(2 x), which takes a GPU half of the instructions, and whose small values are more accurate.
#include <optional>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/uses.h>

namespace weft::compiler {

namespace {

using ir::Value;

bool is_one(Value v) {
  const ir::Literal* const literal = ir::splat_of(v);
  return literal && splat_bits(*literal) == identity_of(ir::ops::multiply, v.dtype());
}

// Returns which operand of 1 + tanh(x) is the tanh.
std::optional<int> tanh_operand(const ir::Node& node) {
  if (node.op != &ir::ops::add || !is_float(node.type().dtype())) return std::nullopt;
  for (const int side : {0, 1})
    if (node.operand(side).node->op == &ir::ops::tanh && is_one(node.operand(1 - side))) return side;
  return std::nullopt;
}

}  // namespace

std::shared_ptr<ir::Graph> replace_tanh(const ir::Graph& graph, const Target& target) {
  if (!target.is_gpu) return nullptr;
  const std::vector<int> uses = ir::count_uses(graph);
  const auto concerns = [&](const ir::Node& node) {
    const std::optional<int> side = tanh_operand(node);
    return side && uses[node.operand(*side).node->id] == 1;
  };
  return rewrite_where(graph, concerns, [](ir::Graph&, const ir::Node& node, std::span<const Value> operands) {
    const Value x = operands[*tanh_operand(node)].node->operand(0);
    const Value half = ir::logistic(ir::add(x, x));
    return std::optional(std::vector{ir::add(half, half)});
  });
}

}  // namespace weft::compiler
