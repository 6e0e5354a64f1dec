#include <weft/compiler/passes/all.h>
#include <weft/compiler/rewrite.h>
#include <weft/ir/op.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> expand_collectives(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run(
      [&](const ir::Node& node, std::span<const ir::Value> operands) -> std::optional<std::vector<ir::Value>> {
        if (!node.op->alone) return std::nullopt;
        return node.op->alone(rewriter.graph(), node, operands);
      });
}

}  // namespace weft::compiler
