// sort: by the keys of one operand, which compare as unsigned integers, where the comparator is that simple; else by asking it.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Throws Error for rows of more than 2^32 elements.
Unit sort_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
