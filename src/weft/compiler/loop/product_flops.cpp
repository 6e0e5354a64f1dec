#include <weft/compiler/loop/product_flops.h>

#include <weft/compiler/loop/convolution_shape.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

double product_flops(const ir::Node& node) {
  if (node.attributes_if<ir::ConvolutionAttributes>()) return convolution_shape(node).flops();
  const auto* const dot = node.attributes_if<ir::DotAttributes>();
  if (!dot) return 0;
  double flops = 2.0 * node.type().elements();
  for (const std::int64_t d : dot->lhs_contracting) flops *= node.operand(0).size(d);
  return flops;
}

}  // namespace weft::compiler
