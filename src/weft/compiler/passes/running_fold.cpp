#include <weft/compiler/passes/running_fold.h>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>

namespace weft::compiler {

namespace {

// JAX broadcasts initial values to scalars.
const ir::Literal* splat_behind_broadcasts(ir::Value v) {
  while (v.node->op == &ir::ops::broadcast_in_dim) v = v.node->operand(0);
  return ir::splat_of(v);
}

}  // namespace

std::optional<RunningFold> running_fold(const ir::Node& node) {
  if (node.op != &ir::ops::reduce_window || !ir::is_static(node) || node.operands.size() != 2) return std::nullopt;
  const Type x = node.operand(0).type();
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  const ir::Literal* const init = splat_behind_broadcasts(node.operand(1));
  if (!op || !init || x.elements() == 0 || splat_bits(*init) != identity_of(*op, x.dtype())) return std::nullopt;
  std::optional<RunningFold> found;
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d);
    if (w.is_trivial()) continue;
    const bool is_whole = w.stride == 1 && w.base_dilation == 1 && w.dilation == 1 && w.size >= x.size(d);
    const bool is_forward = w.low == w.size - 1 && w.high == 0, is_backward = w.low == 0 && w.high == w.size - 1;
    if (found || !is_whole || !(is_forward || is_backward)) return std::nullopt;
    found = {op, d, is_forward};
  }
  return found;
}

}  // namespace weft::compiler
