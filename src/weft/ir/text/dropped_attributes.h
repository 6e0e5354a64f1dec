// Attributes of operations that change no result, such as the precision of a product or the layouts of a call's operands. No graph
// keeps them, but a program in which one of them says nothing sensible is as wrong as any other.
#pragma once

#include <weft/ir/text/lexer.h>
#include <weft/ir/text/syntax.h>

namespace weft::ir::text {

// Throws Error where such an attribute of the operation is not what StableHLO's specification allows.
void check_dropped_attributes(const Source& source, const SyntaxModule& module, const Operation& operation);

}  // namespace weft::ir::text
