// scatter, for example for the gradient of an embedding or for index updates.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit scatter_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
