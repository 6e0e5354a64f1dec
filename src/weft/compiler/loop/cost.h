// Returns the cost of computing an elementwise op on one element, in units of one addition: counted from the op's scalar meaning.
#pragma once

#include <weft/ir/op.h>

namespace weft::compiler {

int cost_of(const ir::Op& op, const void* attributes, DType operand, DType result);

}  // namespace weft::compiler
