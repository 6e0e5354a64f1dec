#include <weft/compiler/passes/all.h>
#include <weft/compiler/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run(
      [&](const ir::Node& node, std::span<const ir::Value> operands) -> std::optional<std::vector<ir::Value>> {
        if (node.op != &ir::ops::composite) return std::nullopt;
        return ir::inline_graph(rewriter.graph(), *node.regions[0], operands);
      });
}

}  // namespace weft::compiler
