// Reads the pretty forms of operations.
#pragma once

#include <weft/ir/text/parser.h>

namespace weft::ir::text {

// Reads the text between the operation's name and its location into the generic form. Operations without a syntax of their own
// are read as `%a, %b, keyword = attribute {attributes} : types`.
void read_pretty(Parser& parser, Operation& operation);

}  // namespace weft::ir::text
