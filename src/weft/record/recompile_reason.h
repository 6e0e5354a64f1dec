// The reason why no known program could be used for a graph.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::record {

// Describes the first difference between two recorded graphs, including outputs, in the user's terms. For equal graphs, returns
// what else can differ.
std::string recompile_reason(const ir::Graph& before, const ir::Graph& now);

}  // namespace weft::record
