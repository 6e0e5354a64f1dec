#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

bool is_composite(const ir::Node& node) { return node.op->flow == ir::Flow::call; }

std::shared_ptr<ir::Graph> inline_once(const ir::Graph& graph) {
  return rewrite_where(graph, is_composite,
                       [](ir::Graph& to, const ir::Node& node, std::span<const ir::Value> operands) {
                         return std::optional(ir::inline_graph(to, *node.regions[0], operands));
                       });
}

}  // namespace

std::shared_ptr<ir::Graph> inline_composites(const ir::Graph& graph) {
  std::shared_ptr<ir::Graph> result = inline_once(graph);
  // A decomposition may contain further composites.
  while (result)
    if (auto deeper = inline_once(*result))
      result = std::move(deeper);
    else
      break;
  return result;
}

}  // namespace weft::compiler
