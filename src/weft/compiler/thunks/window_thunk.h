// Pooling and its gradient: reduce_window and select_and_scatter. Bodies that are a single op are native; others are generated.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit reduce_window_unit(const ir::Node& node, const NativeContext& context);
Unit select_and_scatter_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
