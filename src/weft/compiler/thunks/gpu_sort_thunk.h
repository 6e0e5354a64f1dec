// sort on a GPU (loop/sort_kernel.h).
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Sets how the unit of a sort does its work, and returns whether it could: the comparator must be a scalar body.
bool set_gpu_sort(Unit& unit, const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
