#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>

namespace weft::compiler {

std::shared_ptr<ir::Graph> eliminate_dead_nodes(const ir::Graph& graph) {
  return has_dead_nodes(graph) ? without_dead_nodes(graph) : nullptr;
}

}  // namespace weft::compiler
