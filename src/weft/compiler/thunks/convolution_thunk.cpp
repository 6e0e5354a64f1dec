#include <weft/compiler/thunks/convolution_thunk.h>

namespace weft::compiler {

Unit convolution_unit(const ir::Node& node, const NativeContext& context) {
  const ConvolutionShape shape = convolution_shape(node);
  Unit unit = unit_of(node);
  unit.info.category = "convolution";
  unit.info.flops = shape.flops();
  if (!convolve_with_onednn(unit, shape, context.options.strict)) convolve_with_loop(unit, shape);
  return unit;
}

}  // namespace weft::compiler
