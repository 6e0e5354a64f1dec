// Edits that make a graph smaller; an edit may turn out to be impossible. Only implementation files include this header.
#pragma once

#include <functional>
#include <vector>

#include <weft/fuzz/shrink.h>

namespace weft::fuzz {

// An edit throws Error if a type rule rejects the edited graph.
using Edit = std::function<GraphPtr()>;

// Returns all edits of a graph, those that remove most first. A region keeps its inputs and the types of its outputs.
std::vector<Edit> edits(const GraphPtr& graph, bool is_region = false);

// Returns the graph with every dimension, and every entry of an attribute, that equals `from` replaced by `to`.
GraphPtr resized(const GraphPtr& graph, std::int64_t from, std::int64_t to);

// Returns the graph without the nodes that no output needs and, unless it is a region, without the inputs that no output needs.
GraphPtr pruned(const GraphPtr& graph, bool is_region = false);

// Returns a region of a node of `graph`; the result keeps `graph` alive.
GraphPtr region_of(const GraphPtr& graph, const ir::Node& node, std::size_t region);

}  // namespace weft::fuzz
