// A custom_call whose name is a function of the host: called on the host stream, beside the kernels that do not need its results.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// The interpreter's, as a fallback, if nobody registered the name.
Unit host_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
