#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/op.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> expand_collectives(const ir::Graph& graph) {
  return rewrite_where(
      graph, [](const ir::Node& node) { return node.op->single_process != nullptr; },
      [](ir::Graph& to, const ir::Node& node, std::span<const ir::Value> operands) {
        return std::optional(node.op->single_process(to, node, operands));
      });
}

}  // namespace weft::compiler
