// Fusion decides which nodes become one kernel.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/plan/unit_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns the graph as units, each placed at the position of its last node. Nodes that nothing needs are dropped. Adds to the report a line
// for each node that has no kernel, the groups that became one kernel, and the groups that did not, with the reason. No unit contains both
// nodes before `late` and nodes from `late` on.
std::vector<Unit> fuse(const ir::Graph& graph, const Options& options, const UnitMaker& maker, Report& report,
                       std::uint32_t late = 0);

}  // namespace weft::compiler
