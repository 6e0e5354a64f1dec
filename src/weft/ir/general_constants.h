// Constants of one element that are another one in each of the graphs that a general one stands for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <weft/ir/general.h>

namespace weft::ir {

// Those of the samples and of their regions, in the order of the nodes; a node's regions one behind the other. Throws Error where
// regions that differ are not of the same operations.
std::vector<General::Constant> find_constants(std::span<const Graph* const> samples);

// The constants within a graph, so many regions deep, that are a node of it or lie in the node's regions; and of those the ones in one
// region.
std::span<const General::Constant> constants_at(std::span<const General::Constant> within, std::size_t depth,
                                                std::size_t node);
std::span<const General::Constant> constants_in(std::span<const General::Constant> of_node, std::size_t depth,
                                                std::size_t region);

// Whether the regions that samples have at the same place do not differ.
bool are_alike(std::span<const Graph* const> bodies);

}  // namespace weft::ir
