#include <weft/compiler/plan/unit_order.h>

#include <algorithm>
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
  UnitOrder(std::span<const Unit> units, const PredictSeconds& seconds, Priority priority)
      : units_(units),
        seconds_(seconds),
        priority_(priority),
        rank_(units.size()),
        users_(units.size()),
        waits_(units.size()),
        readers_(units.size()),
        updates_(units.size()),
        arrives_(units.size()) {
    find_users();
    find_readers();
    for (std::size_t u = 0; u < units.size(); ++u) rank_[u].order = units[u].order;
    if (seconds_ && priority == Priority::program) find_what_hides();
    if (priority != Priority::program) find_longest_chains();
    for (std::size_t u = 0; u < units.size(); ++u)
      if (waits_[u] == 0) add_ready(u);
  }

  std::optional<std::size_t> next() {
    std::set<Place>* found = nullptr;
    for (std::set<Place>* const set : {&communicating_, &ready_, &giving_way_, &final_})
      if (!found && !set->empty()) found = set;
    if (!found) return std::nullopt;
    if (found != &communicating_ && link_has_time_for_final(*found)) found = &final_;
    std::set<Place>& from = *found;
    const auto chosen = first_without_waiting(from);
    const std::size_t u = chosen->second;
    from.erase(chosen);
    if (seconds_) pass(u);
    for (const std::size_t update : updates_[u])
      if (--readers_[update] == 0 && giving_way_.erase(place(update))) ready_.insert(place(update));
    for (const std::size_t user : users_[u])
      if (--waits_[user] == 0) add_ready(user);
    return u;
  }

  // Returns when everything that has been ordered has ended, as predicted.
  double end() const { return std::max(now_, link_is_free_); }

 private:
  // Units of a lower rank come first.
  struct Rank {
    double first = 0;
    std::uint32_t order = 0;  // position in the program
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  using Place = std::pair<Rank, std::size_t>;
  Place place(std::size_t u) const { return {rank_[u], u}; }

  // Advances the predicted time by a unit. The results of a collective arrive later, and computation goes on meanwhile.
  void pass(std::size_t u) {
    const double start = std::max(now_, arrives_[u]);
    if (!communicates(u)) {
      now_ = start + seconds_(units_[u]);
      return;
    }
    link_is_free_ = std::max(start, link_is_free_) + units_[u].link_seconds;
    for (const std::size_t user : users_[u]) arrives_[user] = std::max(arrives_[user], link_is_free_);
  }

  bool communicates(std::size_t u) const { return seconds_ && units_[u].stream == runtime::StreamKind::communication; }

  // Returns the first unit that need not wait for a collective; if there is none, the one that waits for the shortest time.
  std::set<Place>::iterator first_without_waiting(const std::set<Place>& places) const {
    auto best = places.begin();
    const auto arrives = [&](auto at) { return arrives_[at->second]; };
    for (auto at = best; at != places.end() && arrives(best) > now_; ++at)
      if (arrives(at) < arrives(best)) best = at;
    return best;
  }

  // Returns whether a collective whose results only later launches need stands before the computation that would come next, and the link
  // is idle.
  bool link_has_time_for_final(const std::set<Place>& computation) const {
    if (final_.empty() || link_is_free_ > now_) return false;
    return final_.begin()->first.order < first_without_waiting(computation)->first.order;
  }

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

  // A unit that needs a collective and that no collective needs, such as an update of a parameter, is left for when nothing else can
  // run: it hides the last collectives. Units are in an order in which each comes after those that make what it reads.
  void find_what_hides() {
    std::vector<char> follows(units_.size()), precedes(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const std::size_t user : users_[u]) follows[user] |= static_cast<char>(follows[u] || communicates(u));
    for (std::size_t u = units_.size(); u-- > 0;)
      for (const std::size_t user : users_[u])
        precedes[u] |= static_cast<char>(precedes[user] || (communicates(user) && !users_[user].empty()));
    for (std::size_t u = 0; u < units_.size(); ++u) rank_[u].first = follows[u] && !precedes[u] ? 1 : 0;
  }

  // All computation has to be done by the same processor, in whichever order; so what lasts longest after it is to begin first (Jackson's
  // rule for jobs with delivery times).
  void find_longest_chains() {
    for (std::size_t u = units_.size(); u-- > 0;) {
      double after = 0;
      for (const std::size_t user : users_[u]) after = std::max(after, -rank_[user].first);
      const double own = communicates(u)                        ? units_[u].link_seconds
                         : priority_ == Priority::longest_chain ? seconds_(units_[u])
                                                                : 0;
      rank_[u].first = -(after + own);
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

  void add_ready(std::size_t u) {
    if (communicates(u)) {
      (users_[u].empty() && priority_ == Priority::program ? final_ : communicating_).insert(place(u));
    } else {
      (readers_[u] == 0 ? ready_ : giving_way_).insert(place(u));
    }
  }

  std::span<const Unit> units_;
  const PredictSeconds& seconds_;
  const Priority priority_;
  std::vector<Rank> rank_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<int> waits_;    // for each unit: how many other units it waits for
  std::vector<int> readers_;  // for a unit that updates a part: how many readers of the updated value have not run yet
  std::vector<std::vector<std::size_t>> updates_;  // for each unit: the units that update a part of what it reads
  std::set<Place> communicating_, ready_, giving_way_;
  std::set<Place> final_;        // collectives whose results only later launches need
  std::vector<double> arrives_;  // for each unit: when the last result of a collective that it reads is there
  double now_ = 0, link_is_free_ = 0;
};

BesideCollectives ordered(std::vector<Unit> units, const PredictSeconds& seconds, Priority priority) {
  std::vector<std::size_t> indices;
  UnitOrder order(units, seconds, priority);
  while (const auto u = order.next()) indices.push_back(*u);
  WEFT_ASSERT(indices.size() == units.size(), "units wait for one another");
  BesideCollectives made{.units = {}, .seconds = order.end()};
  for (const std::size_t u : indices) made.units.push_back(std::move(units[u]));
  return made;
}

}  // namespace

std::vector<Unit> in_order(std::vector<Unit> units) { return ordered(std::move(units), {}, Priority::program).units; }

BesideCollectives beside_collectives(std::vector<Unit> units, const PredictSeconds& seconds, Priority priority) {
  return ordered(std::move(units), seconds, priority);
}

}  // namespace weft::compiler
