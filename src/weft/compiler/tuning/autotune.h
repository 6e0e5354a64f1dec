// Products and reductions, each done in the fastest of its ways (alternatives.h). Other choices may round otherwise, as the numerics
// contract allows outside of strict mode. What is of unknown sizes stays as it is.
#pragma once

#include <memory>

#include <weft/compiler/options/options.h>
#include <weft/compiler/options/report.h>
#include <weft/compiler/thunks/thunk_maker.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// The graph with the choices in it; the report receives a line for each site. `graph` is what the passes made.
std::shared_ptr<const ir::Graph> autotune(std::shared_ptr<const ir::Graph> graph, const Options& options,
                                          const ThunkMaker& maker, Report& report);

}  // namespace weft::compiler
