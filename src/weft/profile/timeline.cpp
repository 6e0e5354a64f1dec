#include <weft/profile/timeline.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace weft::profile {

namespace {

using nlohmann::json;

constexpr std::size_t most_ops = 40'000, most_flows = 4000, most_of_a_lane = 40'000;
constexpr std::array groups = {"host", "compile", "queue", "device", "copy", "loader"};
constexpr std::size_t host_group = 0, queue_group = 2, device_group = 3;

std::size_t group_index_of(std::string_view category) {
  if (category == "thunk") return device_group;
  const auto* const found =
      std::ranges::find(groups, category, [](const char* name) { return std::string_view(name); });
  return found == groups.end() ? host_group : found - groups.begin();
}

struct Lane {
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> row_ends;  // the time from which each row is free again
  json spans = json::array();

  // Returns the row for a span. Spans come sorted by their begin: within open spans it is the next row, otherwise the first
  // free one.
  std::size_t row(const Span& span) {
    std::size_t row = 0;
    while (row < row_ends.size() && row_ends[row] > span.begin_ns) ++row;
    constexpr std::size_t most_rows = 8;
    row = std::min(row, most_rows - 1);
    if (row == row_ends.size()) row_ends.push_back(0);
    row_ends[row] = span.end_ns;
    return row;
  }

  // Keeps as many spans as a page can show. Returns how many were left out.
  std::size_t keep_longest() {
    if (spans.size() <= most_of_a_lane) return 0;
    const auto ns = [](const json& span) { return span[1].get<std::uint64_t>(); };
    std::vector<std::uint64_t> lengths;
    for (const json& span : spans) lengths.push_back(ns(span));
    const auto shortest = lengths.begin() + most_of_a_lane;
    std::ranges::nth_element(lengths, shortest, std::greater{});
    std::size_t equal = most_of_a_lane;  // number of spans to keep that are as long as the shortest one kept
    for (auto it = lengths.begin(); it != shortest; ++it) equal -= *it > *shortest;
    json kept = json::array();
    for (json& span : spans)
      if (ns(span) > *shortest || (ns(span) == *shortest && equal > 0 && equal-- > 0)) kept.push_back(std::move(span));
    const std::size_t left_out = spans.size() - kept.size();
    spans = std::move(kept);
    return left_out;
  }
};

class Timeline {
 public:
  explicit Timeline(const Recording& recording) : recording_(recording) {}

  json build() {
    if (recording_.spans.empty())
      return {{"origin", 0},
              {"length", 1},
              {"names", json::array()},
              {"categories", json::array()},
              {"lanes", json::array()},
              {"flows", json::array()},
              {"note", ""}};
    origin_ = recording_.spans.front().begin_ns;
    const std::uint64_t ops_from = first_shown_op();
    for (const Span& span : recording_.spans) {
      end_ = std::max(end_, span.end_ns);
      const std::string& category = recording_.category(span);
      if (category == "memory" || (category == "thunk" && span.begin_ns < ops_from)) continue;
      add(span, group_index_of(category));
    }
    json lanes = json::array();
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> index;
    std::string note = ops_from == 0
                           ? ""
                           : fmt::format("Operations are shown from {:.3f} s on; before, only what contains them. ",
                                         1e-9 * (ops_from - origin_));
    for (auto& [key, lane] : lanes_) {
      if (const std::size_t left_out = lane.keep_longest(); left_out > 0)
        note += fmt::format("Of {}, {} short events are not shown. ", groups[key.first], left_out);
      index[key] = lanes.size();
      const bool is_alone = key.first == queue_group || key.first == device_group;
      const std::string name =
          is_alone ? groups[key.first] : fmt::format("{} · {}", groups[key.first], recording_.threads[key.second]);
      lanes.push_back({{"name", name},
                       {"group", groups[key.first]},
                       {"depth", lane.row_ends.size()},
                       {"longest", lane.longest},
                       {"spans", std::move(lane.spans)}});
    }
    return {{"origin", origin_},         {"length", end_ - origin_}, {"names", names_}, {"categories", categories_},
            {"lanes", std::move(lanes)}, {"flows", flows(index)},    {"note", note}};
  }

 private:
  using Key = std::pair<std::size_t, std::uint32_t>;  // group, thread

  std::uint64_t first_shown_op() const {
    std::size_t left = most_ops;
    for (std::size_t i = recording_.spans.size(); i-- > 0;)
      if (recording_.category(recording_.spans[i]) == "thunk" && left-- == 0) return recording_.spans[i].end_ns;
    return 0;
  }

  void add(const Span& span, std::size_t group) {
    const Key key{group, group == queue_group ? 0 : span.thread};
    Lane& lane = lanes_[key];
    lane.longest = std::max(lane.longest, span.ns());
    const bool is_op = span.program >= 0;
    lane.spans.push_back({span.begin_ns - origin_, span.ns(), name(span), is_op ? json(span.program) : json(),
                          is_op ? json(span.op) : json(), lane.row(span)});
    if (group == device_group && span.op < 0) executions_.emplace(span.number, std::pair(span.begin_ns, key));
    if (group == host_group && recording_.name(span) == "launch")
      launches_.push_back({span.number, span.begin_ns, key});
  }

  // Every step has its own name.
  std::size_t name(const Span& span) {
    const bool is_step = recording_.category(span) == "step";
    const auto [at, is_new] =
        name_of_.try_emplace({span.category, span.name, is_step ? span.number : 0}, names_.size());
    if (is_new) {
      names_.push_back(is_step ? fmt::format("step {}", span.number) : recording_.name(span));
      categories_.push_back(recording_.category(span));
    }
    return at->second;
  }

  json flows(const std::map<Key, std::size_t>& lanes) const {
    json all = json::array();
    const std::size_t first = launches_.size() - std::min(launches_.size(), most_flows);
    for (std::size_t i = first; i < launches_.size(); ++i) {
      const auto& [number, begin, key] = launches_[i];
      const auto execution = executions_.find(number);
      if (execution == executions_.end()) continue;
      all.push_back(
          {begin - origin_, lanes.at(key), execution->second.first - origin_, lanes.at(execution->second.second)});
    }
    return all;
  }

  struct Launch {
    std::uint64_t number, begin_ns;
    Key lane;
  };

  const Recording& recording_;
  std::uint64_t origin_ = 0, end_ = 0;
  std::map<Key, Lane> lanes_;
  json names_ = json::array(), categories_ = json::array();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::size_t> name_of_;
  std::vector<Launch> launches_;
  std::map<std::uint64_t, std::pair<std::uint64_t, Key>> executions_;
};

}  // namespace

json timeline_json(const Recording& recording) { return Timeline(recording).build(); }

}  // namespace weft::profile
