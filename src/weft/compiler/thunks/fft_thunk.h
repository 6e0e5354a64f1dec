// Fourier transforms of the rows of a matrix.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Makes the unit of a node that has_fft_kernel.
Unit fft_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
