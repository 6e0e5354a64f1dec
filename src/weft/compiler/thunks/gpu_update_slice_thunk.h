// dynamic_update_slice on a GPU: a kernel stores the update where the starts, which it reads itself, put it.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Sets how the unit of a dynamic_update_slice does its work.
void set_gpu_update_slice(Unit& unit, const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
