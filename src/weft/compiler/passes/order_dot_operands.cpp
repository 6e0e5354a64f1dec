#include <weft/compiler/loop/matmul_shape.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using Dims = std::vector<std::int64_t>;

Dims joined(std::initializer_list<ir::Ints> parts) {
  Dims all;
  for (const ir::Ints part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Dims counted(std::size_t from, std::size_t count) {
  Dims dims(count);
  for (std::size_t i = 0; i < count; ++i) dims[i] = from + i;
  return dims;
}

// Returns whether a product could read the operands in place, through all ops that move elements.
bool is_ordered(const ir::Node& dot) {
  const auto as_is = [](ir::Value) { return true; };
  return matmul_shape(dot, view_of(dot.operand(0), as_is), view_of(dot.operand(1), as_is)).has_value();
}

}  // namespace

std::shared_ptr<ir::Graph> order_dot_operands(const ir::Graph& graph) {
  return rewrite_where(
      graph, [](const ir::Node& node) { return node.op == &ir::ops::dot_general && !is_ordered(node); },
      [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
        const auto& a = node.attributes<ir::DotAttributes>();
        const Dims lhs_free = free_dims(operands[0].rank(), a.lhs_batching, a.lhs_contracting);
        const Dims rhs_free = free_dims(operands[1].rank(), a.rhs_batching, a.rhs_contracting);
        const ir::Value lhs = ir::transpose(operands[0], joined({a.lhs_batching, lhs_free, a.lhs_contracting}));
        const ir::Value rhs = ir::transpose(operands[1], joined({a.rhs_batching, a.rhs_contracting, rhs_free}));
        const std::size_t batch = a.lhs_batching.size(), k = a.lhs_contracting.size();
        const Dims batching = counted(0, batch), lhs_contracting = counted(batch + lhs_free.size(), k),
                   rhs_contracting = counted(batch, k);
        const ir::DotAttributes ordered{batching, batching, lhs_contracting, rhs_contracting};
        return std::optional(std::vector{ir::dot_general(lhs, rhs, ordered, node.type().dtype())});
      });
}

}  // namespace weft::compiler
