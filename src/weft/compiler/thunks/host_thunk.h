// A custom_call whose name is a host function. A function that only computes runs between kernels; others run on the host stream,
// concurrently with kernels that do not need their results.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns the interpreter's unit, as a fallback, if no function of that name is registered.
Unit host_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
