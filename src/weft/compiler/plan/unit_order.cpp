#include <weft/compiler/plan/unit_order.h>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace weft::compiler {

namespace {

class UnitOrder {
 public:
  explicit UnitOrder(std::span<const Unit> units)
      : units_(units), users_(units.size()), waits_(units.size()), readers_(units.size()), updates_(units.size()) {
    find_users();
    find_readers();
    for (std::size_t u = 0; u < units.size(); ++u)
      if (waits_[u] == 0) add_ready(u);
  }

  std::optional<std::size_t> next() {
    std::set<Place>& from = ready_.empty() ? giving_way_ : ready_;
    if (from.empty()) return std::nullopt;
    const std::size_t u = from.begin()->second;
    from.erase(from.begin());
    for (const std::size_t update : updates_[u])
      if (--readers_[update] == 0 && giving_way_.erase(place(update))) ready_.insert(place(update));
    for (const std::size_t user : users_[u])
      if (--waits_[user] == 0) add_ready(user);
    return u;
  }

 private:
  using Place = std::pair<std::uint32_t, std::size_t>;  // position in the program, index of the unit
  Place place(std::size_t u) const { return {units_[u].order, u}; }

  void find_users() {
    std::unordered_map<ir::Value, std::size_t, ir::ValueHash> maker;
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const ir::Value v : units_[u].writes) maker[v] = u;
    const auto wait = [&](std::size_t u, std::size_t before) {
      users_[before].push_back(u);
      ++waits_[u];
    };
    for (std::size_t u = 0, effect = units_.size(); u < units_.size(); ++u) {
      for (const ir::Value v : units_[u].reads)
        if (const auto m = maker.find(v); m != maker.end()) wait(u, m->second);
      if (!units_[u].has_side_effect) continue;
      if (effect < units_.size()) wait(u, effect);
      effect = u;
    }
  }

  void find_readers() {
    std::unordered_map<ir::Value, std::vector<std::size_t>, ir::ValueHash> updates;
    for (std::size_t u = 0; u < units_.size(); ++u)
      if (units_[u].updates_part)
        for (const auto& [write, read] : units_[u].in_place) updates[units_[u].reads[read]].push_back(u);
    if (updates.empty()) return;
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const ir::Value v : units_[u].reads)
        if (const auto found = updates.find(v); found != updates.end())
          for (const std::size_t update : found->second)
            if (update != u) {
              updates_[u].push_back(update);
              ++readers_[update];
            }
  }

  void add_ready(std::size_t u) { (readers_[u] == 0 ? ready_ : giving_way_).insert(place(u)); }

  std::span<const Unit> units_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<int> waits_;    // for each unit: how many other units it waits for
  std::vector<int> readers_;  // for a unit that updates a part: how many readers of the updated value have not run yet
  std::vector<std::vector<std::size_t>> updates_;  // for each unit: the units that update a part of what it reads
  std::set<Place> ready_, giving_way_;
};

}  // namespace

std::vector<Unit> in_order(std::vector<Unit> units) {
  std::vector<std::size_t> indices;
  UnitOrder order(units);
  while (const auto u = order.next()) indices.push_back(*u);
  WEFT_ASSERT(indices.size() == units.size(), "units wait for one another");
  std::vector<Unit> ordered;
  for (const std::size_t u : indices) ordered.push_back(std::move(units[u]));
  return ordered;
}

}  // namespace weft::compiler
