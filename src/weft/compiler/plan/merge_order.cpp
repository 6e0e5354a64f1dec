#include <weft/compiler/plan/merge_order.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace weft::compiler {

namespace {
constexpr std::int64_t gap = std::int64_t{1} << 24;  // between neighbours, so that others fit in between
}

MergeOrder::MergeOrder(const Edges& needs, const Edges& users) {
  const std::size_t count = needs.size();
  down_ = {.down = true, .edges = &users, .seen = std::vector<std::uint32_t>(count)};
  up_ = {.down = false, .edges = &needs, .seen = std::vector<std::uint32_t>(count)};
  position_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    unit_of_.push_back(i);
    nodes_.push_back({i});
    position_[i] = i * gap;
    in_order_.emplace_hint(in_order_.end(), position_[i], i);
  }
}

void MergeOrder::renumber() {
  std::map<Position, std::uint32_t> in_order;
  for (const auto& [position, unit] : in_order_) {
    position_[unit] = in_order.size() * gap;
    in_order.emplace_hint(in_order.end(), position_[unit], unit);
  }
  in_order_ = std::move(in_order);
}

// Searches from both ends in turns, edge by edge, so that an end with few connections decides early.
bool MergeOrder::path_around(std::uint32_t producer, std::uint32_t consumer) {
  ++search_;
  begin(down_, unit_of_[producer], unit_of_[consumer]);
  begin(up_, unit_of_[consumer], unit_of_[producer]);
  while (!down_.left.empty() && !up_.left.empty())
    if (step(down_, up_) || step(up_, down_)) return true;
  return false;
}

void MergeOrder::begin(Search& search, std::uint32_t from, std::uint32_t target) {
  search.target = target;
  search.left.clear();
  search.reached.clear();
  reach(search, from);
  search.own = search.left.size();
}

void MergeOrder::reach(Search& search, std::uint32_t unit) {
  search.seen[unit] = search_;
  for (const std::uint32_t node : nodes_[unit])
    if (const std::vector<std::uint32_t>& edges = (*search.edges)[node]; !edges.empty())
      search.left.emplace_back(edges);
}

// Follows one edge; returns whether a path was found.
bool MergeOrder::step(Search& search, const Search& other) {
  if (search.left.empty()) return false;
  const bool is_direct = search.left.size() <= search.own;
  std::span<const std::uint32_t>& edges = search.left.back();
  const std::uint32_t unit = unit_of_[edges.front()];
  edges = edges.subspan(1);
  if (edges.empty()) {
    search.left.pop_back();
    if (is_direct) --search.own;
  }
  if (unit == search.target) return !is_direct;
  if (search.seen[unit] == search_) return false;
  const Position end = position_[search.target];
  if (search.down ? position_[unit] > end : position_[unit] < end) return false;
  if (other.seen[unit] == search_) return true;  // the two searches met
  search.reached.push_back(unit);
  reach(search, unit);
  return false;
}

void MergeOrder::merge(std::uint32_t producer, std::uint32_t consumer) {
  const std::uint32_t first = unit_of_[producer], second = unit_of_[consumer];
  // The search that finished knows all units that must stay on its side: units that follow from the producer move behind the consumer's
  // position, or units that the consumer needs move before the producer's position.
  if (down_.left.empty()) {
    in_order_.erase(position_[first]);
    position_[first] = position_[second];
    in_order_[position_[first]] = first;
    move(down_.reached, true, first);
  } else {
    in_order_.erase(position_[second]);
    move(up_.reached, false, first);
  }
  for (const std::uint32_t node : nodes_[second]) unit_of_[node] = first;
  nodes_[first].insert(nodes_[first].end(), nodes_[second].begin(), nodes_[second].end());
  nodes_[second].clear();
}

// Moves units right behind or right before this unit, keeping their order.
void MergeOrder::move(std::vector<std::uint32_t> units, bool behind, std::uint32_t unit) {
  if (units.empty()) return;
  std::ranges::sort(units, {}, [&](std::uint32_t u) { return position_[u]; });
  for (const std::uint32_t u : units) in_order_.erase(position_[u]);
  const Position count = units.size();
  const auto room = [&]() -> std::pair<Position, Position> {  // the positions between which to insert
    const auto at = in_order_.find(position_[unit]);
    const Position here = at->first;
    if (behind) return {here, std::next(at) == in_order_.end() ? here + gap * (count + 1) : std::next(at)->first};
    return {at == in_order_.begin() ? here - gap * (count + 1) : std::prev(at)->first, here};
  };
  auto [after, before] = room();
  if (before - after <= count) {
    renumber();
    std::tie(after, before) = room();
  }
  const Position step = (before - after) / (count + 1);
  for (const std::uint32_t u : units) {
    position_[u] = after += step;
    in_order_[position_[u]] = u;
  }
}

}  // namespace weft::compiler
