// Makes a failing graph small.
#pragma once

#include <functional>
#include <memory>

#include <weft/ir/graph.h>

namespace weft::fuzz {

using GraphPtr = std::shared_ptr<const ir::Graph>;

// Returns whether a graph still fails in the way under investigation. An exception that it throws ends the search.
using Predicate = std::function<bool(const ir::Graph& graph)>;

// Replaces nodes by inputs, constants or their operands and control flow by the region that it would run, drops outputs and
// inputs, and makes dimensions smaller, also in regions, as long as `still_fails` holds. In the end, no single such step makes
// the graph smaller. The given graph must fail.
GraphPtr shrink(GraphPtr graph, const Predicate& still_fails);

}  // namespace weft::fuzz
