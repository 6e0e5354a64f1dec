// convolution: through oneDNN where it has the case, else as a loop.
#pragma once

#include <weft/compiler/thunks/convolution_shape.h>
#include <weft/compiler/thunks/native.h>

namespace weft::compiler {

Unit convolution_unit(const ir::Node& node, const NativeContext& context);

// The two ways. Each takes the unit of the node and adds scratch and `make`; the first returns false, with the unit unchanged,
// if oneDNN lacks the case.
bool convolve_with_onednn(Unit& unit, const ConvolutionShape& shape, bool strict);
void convolve_with_loop(Unit& unit, const ConvolutionShape& shape);

}  // namespace weft::compiler
