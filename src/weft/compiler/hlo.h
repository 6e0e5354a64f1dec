// HLO text, in the conventions of XLA, whose parser reads it: of a graph, or of a compiled program, in which the nodes of each
// unit are a fusion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Without units every node stands for itself; with them, the instruction of a unit has the unit's name. `elide`: constants of more
// elements are written as {...}, which no parser takes. `sizes`: of a graph for many sizes, whose last inputs are these constants.
std::string print_hlo(const ir::Graph& graph, std::span<const Unit> units = {},
                      std::int64_t elide = std::numeric_limits<std::int64_t>::max(), const SizeValues& sizes = {},
                      std::span<const std::vector<std::byte>> constants = {});

}  // namespace weft::compiler
