// Programs of several replicas, which other clients than JAX send: every device runs the whole program on arguments of its own, and meets the
// others only in collectives.
#pragma once

#include <cstdint>

#include <weft/compiler/spmd/partition.h>

namespace weft::compiler {

// Returns the program of each replica as that of a partition, for as many partitions; weft's own programs for several devices have no
// replicas. Throws UnsupportedError for a collective that cannot be expressed so.
Partitioned replicas_as_partitions(const ir::Graph& graph, std::int64_t replicas);

}  // namespace weft::compiler
