// Convolutions by oneDNN: which of its primitives, in which order of the elements, and what is reordered for it.
#pragma once

#include <weft/compiler/loop/convolution_shape.h>
#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Gives the unit of a convolution scratch memory and `make`. Returns false, with the unit unchanged, if oneDNN lacks the case.
bool convolve_with_onednn(Unit& unit, const ConvolutionShape& shape, bool strict);

}  // namespace weft::compiler
