// dynamic_update_slice, which works in place if the operand's bytes are free; optimization_barrier; tokens.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit update_slice_unit(const ir::Node& node, const NativeContext& context);
Unit barrier_unit(const ir::Node& node, const Target& target);
Unit token_unit(const ir::Node& node);

}  // namespace weft::compiler
