// A place in the user's program, for messages.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::record {

// file:line in module; empty where it is not known.
std::string place_text(const ir::Location& location);

}  // namespace weft::record
