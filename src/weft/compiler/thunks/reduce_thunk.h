// reduce with several operands, or with a body that is not a single known op: argmax, Welford's sums.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

Unit reduce_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
