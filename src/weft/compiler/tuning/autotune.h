// Chooses the fastest way to compute each product and reduction (alternatives.h). Other choices may round differently, as the numerics
// contract allows outside of strict mode. Nodes of unknown sizes stay as they are.
#pragma once

#include <memory>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/thunks/thunk_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns the graph with the choices applied; adds a line to the report for each site. `graph` is the result of the passes.
std::shared_ptr<const ir::Graph> autotune(std::shared_ptr<const ir::Graph> graph, const Options& options,
                                          const ThunkMaker& maker, Report& report);

}  // namespace weft::compiler
