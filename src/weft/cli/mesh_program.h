// A function that is divided among the devices of its module's mesh.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/spmd/partition.h>
#include <weft/ir/graph.h>

namespace weft::cli {

struct MeshProgram {
  compiler::Partitioned divided;

  // Returns "8 devices (data=8): 2 all_gather, 1 all_reduce; each device sends 6.2 MiB".
  std::string summary() const;
  double sent_bytes() const;  // by each device
  // Returns a paragraph for each collective, the one that sends the most first: the bytes with their formula, why it is there, and the
  // places in the user's program.
  std::string explanation() const;
};

// Divides a function as the sdy.shardings of its arguments and results say; arguments without one are replicated. Throws Error, led by the
// file, if the module has no sdy.mesh, and what partition() throws.
MeshProgram divide(const ir::Graph& function, const std::string& file);

}  // namespace weft::cli
