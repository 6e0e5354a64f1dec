#include <algorithm>
#include <vector>

#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>
#include <weft/ir/uses.h>

namespace weft::compiler {

namespace {

// Returns whether the transpose puts the dimensions of a product's right side before those of its left side, and does nothing else.
bool swaps_sides(const ir::Node& transpose, const ir::Node& dot) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  const auto batch = std::ssize(a.lhs_batching);
  const auto rhs_free = dot.operand(1).rank() - batch - std::ssize(a.rhs_contracting);
  std::vector<std::int64_t> permutation(transpose.attributes<ir::TransposeAttributes>().permutation.begin(),
                                        transpose.attributes<ir::TransposeAttributes>().permutation.end());
  std::rotate(permutation.begin() + batch, permutation.begin() + batch + rhs_free, permutation.end());
  return std::ranges::is_sorted(permutation);
}

}  // namespace

std::shared_ptr<ir::Graph> turn_dots(const ir::Graph& graph) {
  const std::vector<int> uses = ir::count_uses(graph);
  const auto concerned = [&](const ir::Node& node) {
    if (node.op != &ir::ops::transpose) return false;
    const ir::Node& dot = *node.operand(0).node;
    return dot.op == &ir::ops::dot_general && uses[dot.id] == 1 && swaps_sides(node, dot);
  };
  return rewrite_where(graph, concerned, [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
    const ir::Node& dot = *operands[0].node;
    const auto& a = dot.attributes<ir::DotAttributes>();
    return std::optional(std::vector{
        ir::dot_general(dot.operand(1), dot.operand(0),
                        {a.rhs_batching, a.lhs_batching, a.rhs_contracting, a.lhs_contracting}, node.type().dtype())});
  });
}

}  // namespace weft::compiler
