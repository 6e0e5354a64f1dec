// Ways to make a graph smaller, each of which may turn out not to be possible. Included by implementation files only.
#pragma once

#include <functional>
#include <vector>

#include <weft/fuzz/shrink.h>

namespace weft::fuzz {

// Throws Error if a type rule refuses what comes of it.
using Edit = std::function<GraphPtr()>;

// All edits of a graph, the boldest first. A region keeps its inputs and the types of its outputs.
std::vector<Edit> edits(const GraphPtr& graph, bool is_region = false);

// The graph with every dimension, and every entry of an attribute, that is `from` made `to`.
GraphPtr resized(const GraphPtr& graph, std::int64_t from, std::int64_t to);

// The graph without nodes, and without inputs unless it is a region, that no output needs.
GraphPtr pruned(const GraphPtr& graph, bool is_region = false);

// A region of a node of `graph`, which it keeps alive.
GraphPtr region_of(const GraphPtr& graph, const ir::Node& node, std::size_t region);

}  // namespace weft::fuzz
