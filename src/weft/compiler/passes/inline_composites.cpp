#include <weft/compiler/passes/all.h>
#include <weft/compiler/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph) {
  return rewrite_where(
      graph, [](const ir::Node& node) { return node.op == &ir::ops::composite; },
      [](ir::Graph& to, const ir::Node& node, std::span<const ir::Value> operands) {
        return std::optional(ir::inline_graph(to, *node.regions[0], operands));
      });
}

}  // namespace weft::compiler
