// Makes a failing graph small.
#pragma once

#include <functional>
#include <memory>

#include <weft/ir/graph.h>

namespace weft::fuzz {

using GraphPtr = std::shared_ptr<const ir::Graph>;

// Whether a graph still fails in the way that is looked for. What it throws ends the search.
using Predicate = std::function<bool(const ir::Graph& graph)>;

// Replaces nodes by inputs, constants or their operands, control flow by what it would run, drops outputs and inputs, makes
// dimensions smaller, in regions too, as long as `still_fails` holds; no single such step that makes the graph smaller is left at
// the end. The given graph must fail.
GraphPtr shrink(GraphPtr graph, const Predicate& still_fails);

}  // namespace weft::fuzz
