#include <weft/compiler/plan/horizontal.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weft::compiler {

namespace {

using Values = std::unordered_set<ir::Value, ir::ValueHash>;

constexpr std::size_t most_kernels = 256;  // in one unit

bool contains_any(const Values& values, std::span<const ir::Value> of) {
  return std::ranges::any_of(of, [&](ir::Value v) { return values.contains(v); });
}

bool is_small(const Unit& unit, const SizeValues& sizes) {
  if (!unit.kernels() || unit.has_side_effect || unit.updates_part || unit.bytes) return false;
  const Loop& loop = *unit.kernels()->loops[0];
  const LoopExtent extent = extent_of(loop, sizes(loop.parameters));
  return extent.tasks * elements_per_task(loop, extent) <= worthwhile_elements;
}

// Small units that may run at the place of the first of them.
class Group {
 public:
  Group(std::vector<Unit>& units, std::size_t first) : units_(&units) { take(first); }

  // Notes a unit that comes after the others seen so far and is not joined.
  void pass(const Unit& unit) {
    read_.insert(unit.reads.begin(), unit.reads.end());
    written_.insert(unit.writes.begin(), unit.writes.end());
  }

  // Returns whether the unit needs nothing that was made since the group's first unit, and overwrites nothing that units in between read.
  bool takes(const Unit& unit) const {
    return members_.size() < most_kernels && !contains_any(written_, unit.reads) &&
           std::ranges::none_of(
               unit.in_place, [&](const auto& pair) { return read_.contains(unit.reads[pair.second]); });
  }
  void take(std::size_t unit) {
    members_.push_back(unit);
    written_.insert((*units_)[unit].writes.begin(), (*units_)[unit].writes.end());
  }

  // Turns the first unit into all members; the others have nothing left to do.
  void join(std::vector<bool>& joined, Report& report) const {
    if (members_.size() < 2) return;
    Unit& all = (*units_)[members_[0]];
    for (std::size_t i = 1; i < members_.size(); ++i) {
      Unit& unit = (*units_)[members_[i]];
      const auto writes = static_cast<int>(all.writes.size()), reads = static_cast<int>(all.reads.size());
      for (const auto& [write, read] : unit.in_place) all.in_place.emplace_back(writes + write, reads + read);
      std::ranges::move(unit.reads, std::back_inserter(all.reads));
      std::ranges::move(unit.writes, std::back_inserter(all.writes));
      std::ranges::move(unit.kernels()->loops, std::back_inserter(all.kernels()->loops));
      all.flops += unit.flops;
      joined[members_[i]] = true;
    }
    // The members run in any order, so no member may overwrite what another one reads.
    std::unordered_map<ir::Value, int, ir::ValueHash> readers;
    for (const ir::Value v : all.reads) ++readers[v];
    std::erase_if(all.in_place, [&](const auto& pair) { return readers[all.reads[pair.second]] > 1; });
    all.info.name = concat("horizontal_fusion.", all.order);
    all.info.category = "horizontal fusion";
    report.fusions.push_back(
        {.name = all.info.name, .operations = concat(members_.size(), " small kernels"), .source = all.info.source});
  }

 private:
  std::vector<Unit>* units_;
  std::vector<std::size_t> members_;
  Values read_;     // by units between the members
  Values written_;  // by units between the members and by the members
};

}  // namespace

namespace {

// Which collectives must have ended before a unit can run.
using Awaited = std::vector<bool>;

std::vector<Awaited> awaited_by(std::span<const Unit> units) {
  const auto communicates = [](const Unit& unit) { return unit.stream == runtime::StreamKind::communication; };
  const auto collectives = static_cast<std::size_t>(std::ranges::count_if(units, communicates));
  std::vector<Awaited> awaited(units.size());
  if (collectives == 0) return awaited;
  std::unordered_map<ir::Value, std::size_t, ir::ValueHash> maker;
  std::size_t collective = 0;
  for (std::size_t u = 0; u < units.size(); ++u) {
    awaited[u].resize(collectives);
    for (const ir::Value v : units[u].reads) {
      const auto made = maker.find(v);
      if (made == maker.end()) continue;
      for (std::size_t c = 0; c < collective; ++c)
        if (awaited[made->second][c]) awaited[u][c] = true;
    }
    // For those that read its results.
    if (communicates(units[u])) awaited[u][collective++] = true;
    for (const ir::Value v : units[u].writes) maker[v] = u;
  }
  return awaited;
}

}  // namespace

std::vector<Unit> join_small_kernels(std::vector<Unit> units, const SizeValues& sizes, Report& report) {
  std::vector<bool> joined(units.size());
  const std::vector<Awaited> awaited = awaited_by(units);
  // A kernel that waits for a collective would make the others wait, so that each group is of kernels that wait for the same ones.
  std::map<Awaited, Group> groups;
  for (std::size_t u = 0; u < units.size(); ++u) {
    const bool may_join = is_small(units[u], sizes);
    for (auto& [of, group] : groups)
      if (!may_join || of != awaited[u]) group.pass(units[u]);
    if (!may_join) continue;
    const auto [entry, is_new] = groups.try_emplace(awaited[u], units, u);
    if (is_new) continue;
    Group& group = entry->second;
    if (group.takes(units[u])) {
      group.take(u);
    } else {
      group.join(joined, report);
      group = Group(units, u);
    }
  }
  for (const auto& [of, group] : groups) group.join(joined, report);
  std::vector<Unit> left;
  for (std::size_t u = 0; u < units.size(); ++u)
    if (!joined[u]) left.push_back(std::move(units[u]));
  return left;
}

}  // namespace weft::compiler
