// Divides a function of a file among the devices of its module's mesh.
#pragma once

#include <string>

#include <weft/compiler/spmd/partition.h>
#include <weft/ir/graph.h>

namespace weft::cli {

// Divides a function as the sdy.shardings of its arguments and results say; arguments without one are replicated. Throws Error, led by the
// file, if the module has no sdy.mesh, and what partition() throws.
compiler::Partitioned divide(const ir::Graph& function, const std::string& file);
// Divides it, and joins its collectives as it is compiled.
compiler::Partitioned divide_and_join(const ir::Graph& function, const std::string& file);

}  // namespace weft::cli
