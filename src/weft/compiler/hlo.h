// HLO text, in the conventions of XLA, whose parser reads it: of a graph, or of a compiled program, in which the nodes of each
// unit are a fusion.
#pragma once

#include <span>
#include <string>

#include <weft/compiler/unit.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Without units every node stands for itself.
std::string print_hlo(const ir::Graph& graph, std::span<const Unit> units = {});

}  // namespace weft::compiler
