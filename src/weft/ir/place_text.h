// A place in the user's program, for messages.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::ir {

// Returns "file:line in module"; empty if the place is unknown.
std::string place_text(const Location& location);

}  // namespace weft::ir
