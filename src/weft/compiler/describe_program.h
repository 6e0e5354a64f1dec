// Describes a graph, or a compiled program in which the nodes of each unit are a fusion, in XLA's terms (runtime/hlo_text.h prints it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/graph.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {

// Without units every node is an instruction; with units, the instruction of a unit has the unit's name. The elements of constants with
// more than `most_elements` are left out. `sizes` and `constants` are for a graph of symbolic sizes, whose last inputs are these constants.
runtime::ProgramDescription describe_program(const ir::Graph& graph, std::span<const Unit> units = {},
                                             std::int64_t most_elements = std::numeric_limits<std::int64_t>::max(),
                                             const SizeValues& sizes = {},
                                             std::span<const std::vector<std::byte>> constants = {});

}  // namespace weft::compiler
