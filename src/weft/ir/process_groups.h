// The processes of a program, which form a grid of replicas and partitions, and the groups in which they meet in a collective.
#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir {

struct ProcessId {
  std::int64_t replica = 0, partition = 0;
  friend auto operator<=>(const ProcessId&, const ProcessId&) = default;
  friend std::ostream& operator<<(std::ostream& out, ProcessId id) {
    return out << "replica " << id.replica << ", partition " << id.partition;
  }
};

using ProcessGroup = std::vector<ProcessId>;

// Returns the groups of a collective on a grid of this size, in an order that is the same for all processes; for
// collective_permute, the pairs of source and target. StableHLO defines what the numbers in replica_groups mean, depending on the
// op, the channel and use_global_device_ids. A process may be in no group. Throws Error for a number outside of the grid.
std::vector<ProcessGroup> groups_of(const Node& collective, std::int64_t replicas, std::int64_t partitions);

}  // namespace weft::ir
