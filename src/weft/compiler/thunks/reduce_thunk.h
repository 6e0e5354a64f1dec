// reduce with several operands or a body that is more than one known op: argmax, Welford's sums.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit reduce_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
