// rng_bit_generator on a GPU (loop/random_fill.h).
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns whether the kernel makes elements of this type.
bool has_gpu_fill(DType dtype);
Unit gpu_rng_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
