// Checks attributes that do not change results, such as the precision of a product or the layouts of a call's operands. Graphs do
// not keep them, but a program with an invalid one is refused all the same.
#pragma once

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Throws Error if such an attribute of the operation is not what StableHLO's specification allows.
void check_dropped_attributes(const Source& source, const SyntaxModule& module, const Operation& operation);

}  // namespace weft::ir::text
