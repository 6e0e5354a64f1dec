#include <weft/compiler/loop/kernel_source.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::compiler {

bool is_scalar_body(const ir::Graph& body) {
  return std::ranges::all_of(body.nodes(), [](const ir::Node* n) {
    const bool known =
        n->op->kind == ir::Kind::elementwise || ir::is_parameter(*n) || n->attributes_if<ir::ConstantAttributes>();
    return known && n->type().rank() == 0;
  });
}

}  // namespace weft::compiler
