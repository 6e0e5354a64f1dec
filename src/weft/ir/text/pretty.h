// The pretty forms of operations.
#pragma once

#include <weft/ir/text/parser.h>

namespace weft::ir::text {

// Reads what follows the operation's name, up to its location, into the generic form. Operations without a syntax of their own
// are read as `%a, %b, keyword = attribute {attributes} : types`.
void read_pretty(Parser& parser, Operation& operation);

}  // namespace weft::ir::text
