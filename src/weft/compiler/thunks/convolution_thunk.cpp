#include <weft/compiler/thunks/convolution_thunk.h>

#include <weft/compiler/library/convolution_onednn.h>

namespace weft::compiler {

Unit convolution_unit(const ir::Node& node, const NativeContext& context) {
  const ConvolutionShape shape = convolution_shape(node);
  Unit unit = unit_of(node);
  unit.info.category = "convolution";
  unit.flops = shape.flops();
  // The library contracts multiply and add, which strict mode does not allow.
  if (context.options.strict || !convolve_with_onednn(unit, shape, false)) convolve_with_loop(unit, shape);
  return unit;
}

}  // namespace weft::compiler
