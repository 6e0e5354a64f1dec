// convolution: through oneDNN if it supports the case, otherwise as a loop.
#pragma once

#include <weft/compiler/loop/convolution_shape.h>
#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit convolution_unit(const ir::Node& node, const NativeContext& context);

// Gives the unit of a convolution its scratch memory and its `make`.
void convolve_with_loop(Unit& unit, const ConvolutionShape& shape);

}  // namespace weft::compiler
