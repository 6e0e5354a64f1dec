// What computing an elementwise op once per element costs, in units of one addition: counted from its scalar meaning.
#pragma once

#include <weft/ir/op.h>

namespace weft::compiler {

int cost_of(const ir::Op& op, const void* attributes, DType operand, DType result);

}  // namespace weft::compiler
