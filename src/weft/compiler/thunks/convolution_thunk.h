// convolution: through oneDNN where it has the case, else as a loop.
#pragma once

#include <weft/compiler/loop/convolution_shape.h>
#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit convolution_unit(const ir::Node& node, const NativeContext& context);

// Gives the unit of a convolution scratch memory and `make`.
void convolve_with_loop(Unit& unit, const ConvolutionShape& shape);

}  // namespace weft::compiler
