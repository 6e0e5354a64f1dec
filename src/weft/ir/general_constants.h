// Finds the one-element constants whose values differ between the graphs that a general graph stands for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <weft/ir/general.h>

namespace weft::ir {

// Returns these constants of the samples and of their regions, in the order of the nodes and, within a node, of its regions.
// Throws Error if regions that differ do not consist of the same operations.
std::vector<General::Constant> find_constants(std::span<const Graph* const> samples);

// constants_at returns those constants of a graph, nested `depth` regions deep, that are the given node or lie in its regions.
// constants_in returns those of a node's constants that lie in the given region.
std::span<const General::Constant> constants_at(std::span<const General::Constant> within, std::size_t depth,
                                                std::size_t node);
std::span<const General::Constant> constants_in(std::span<const General::Constant> of_node, std::size_t depth,
                                                std::size_t region);

// Returns whether the bodies that the samples have in the same place are all equal.
bool are_alike(std::span<const Graph* const> bodies);

}  // namespace weft::ir
