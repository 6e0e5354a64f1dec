// Convolutions by oneDNN: chooses the primitive and the memory layouts, and reorders operands where necessary.
#pragma once

#include <weft/compiler/loop/convolution_shape.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Gives the unit of a convolution its scratch memory and its `make`. Returns false and leaves the unit unchanged if oneDNN lacks the case.
bool convolve_with_onednn(Unit& unit, const ConvolutionShape& shape, bool strict);

}  // namespace weft::compiler
