// Why a graph was not known.
#pragma once

#include <string>

#include <weft/ir/graph.h>

namespace weft::record {

// The first difference of two recorded graphs, outputs included, as a user would say it. Of equal graphs: what else can differ.
std::string recompile_reason(const ir::Graph& before, const ir::Graph& now);

}  // namespace weft::record
