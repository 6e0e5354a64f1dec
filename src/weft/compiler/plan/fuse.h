// Fusion: which nodes become one kernel.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// The graph as units, each in the order of its last node. Nodes that nothing needs become nothing. The report receives
// a line for each node that no kernel exists for, what became one kernel, and what did not, with the reason.
// A unit holds no nodes both before `late` and from there on.
std::vector<Unit> fuse(const ir::Graph& graph, const Options& options, const UnitMaker& maker, Report& report,
                       std::uint32_t late = 0);

}  // namespace weft::compiler
