// sort: compares the keys of one operand as unsigned integers if the comparator is simple enough, otherwise calls the comparator.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Throws Error for rows of more than 2^32 elements.
Unit sort_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
