// What can be done in several ways (ways.h), done in each on data of the right shapes, and then in the fastest. Each distinct site
// is measured once in a process; what was chosen stays on disk (`weft cache list`). Other choices may round otherwise, as the numerics contract allows outside of strict mode; which one is
// taken depends on the machine and its load.
#pragma once

#include <memory>

#include <weft/compiler/compiler.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// The graph with the choices in it; the report receives a line for each site. `graph` is what the passes made.
std::shared_ptr<const ir::Graph> autotune(std::shared_ptr<const ir::Graph> graph, const Options& options,
                                          Report& report);

}  // namespace weft::compiler
