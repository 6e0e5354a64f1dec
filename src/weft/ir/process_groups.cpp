#include <weft/ir/process_groups.h>

#include <numeric>

#include <weft/base/error.h>
#include <weft/ir/op.h>

namespace weft::ir {

namespace {

// Returns the numbers of each group; without replica_groups, one group of all replicas, but no pair of source and target.
std::vector<std::vector<std::int64_t>> rows_of(const Node& collective, std::int64_t replicas) {
  const IntMatrix& groups = collective.attributes<CollectiveAttributes>().groups;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < groups.values.size(); ++i) {
    if (i % groups.columns == 0) rows.emplace_back();
    if (groups.values[i] >= 0) rows.back().push_back(groups.values[i]);
  }
  if (!rows.empty() || collective.op->collective == Collective::permute) return rows;
  std::vector<std::int64_t> all(replicas);
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

}  // namespace

std::vector<ProcessGroup> groups_of(const Node& collective, std::int64_t replicas, std::int64_t partitions) {
  const auto& a = collective.attributes<CollectiveAttributes>();
  const Collective kind = collective.op->collective;
  const bool moves = kind == Collective::all_to_all || kind == Collective::broadcast || kind == Collective::permute;
  const bool has_channel = a.channel > 0;
  std::vector<ProcessGroup> groups;
  const auto add = [&](const std::vector<std::int64_t>& row, auto&& processes_of) {
    ProcessGroup& group = groups.emplace_back();
    for (const std::int64_t number : row) processes_of(group, number);
    for (const ProcessId id : group)
      require(id.replica < replicas && id.partition < partitions, collective.op->name, ": there is no ", id,
              ", the program runs on ", replicas, " replicas of ", partitions, " partitions");
  };
  for (const std::vector<std::int64_t>& row : rows_of(collective, replicas)) {
    if (!has_channel) {  // replicas, separately in each partition
      for (std::int64_t p = 0; p < partitions; ++p)
        add(row, [&](ProcessGroup& group, std::int64_t replica) { group.push_back({replica, p}); });
    } else if (moves) {  // partitions, separately in each replica
      for (std::int64_t r = 0; r < replicas; ++r)
        add(row, [&](ProcessGroup& group, std::int64_t partition) { group.push_back({r, partition}); });
    } else if (a.use_global_device_ids) {
      add(row, [&](ProcessGroup& group, std::int64_t id) { group.push_back({id / partitions, id % partitions}); });
    } else {  // replicas with all of their partitions
      add(row, [&](ProcessGroup&, std::int64_t) {});
      for (std::int64_t p = 0; p < partitions; ++p)
        for (const std::int64_t replica : row) groups.back().push_back({replica, p});
    }
  }
  return groups;
}

}  // namespace weft::ir
