#include <weft/profile/compare.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

double steps_of(const Analysis& analysis) { return std::max<std::size_t>(analysis.steps.size() + 1, 1); }

double busy_share(const Analysis& analysis) {
  return analysis.busy_ns / static_cast<double>(std::max<std::uint64_t>(analysis.wall_ns(), 1));
}

std::string label(const Recording& recording) {
  return recording.file.parent_path().empty() ? recording.file.string() : recording.file.parent_path().string();
}

}  // namespace

Comparison compare(const Recording& before, const Analysis& before_analysis, const Recording& after,
                   const Analysis& after_analysis) {
  std::map<std::string, OpChange> by_identity;
  for (const OpStats& op : before_analysis.ops) {
    OpChange& change = by_identity[op.identity];
    change.category = op.category;
    change.name_before = op.name;
    change.before_ns += op.self_ns / steps_of(before_analysis);
  }
  for (const OpStats& op : after_analysis.ops) {
    OpChange& change = by_identity[op.identity];
    change.category = op.category;
    change.name_after = op.name;
    change.after_ns += op.self_ns / steps_of(after_analysis);
  }
  Comparison result{.before = label(before),
                    .after = label(after),
                    .step_before_ns = before_analysis.median_step_ns(),
                    .step_after_ns = after_analysis.median_step_ns(),
                    .busy_before = busy_share(before_analysis),
                    .busy_after = busy_share(after_analysis),
                    .ops = {}};
  for (auto& [identity, change] : by_identity) {
    change.identity = identity;
    result.ops.push_back(std::move(change));
  }
  std::ranges::stable_sort(result.ops, [](const OpChange& a, const OpChange& b) {
    return std::abs(a.difference_ns()) > std::abs(b.difference_ns());
  });
  return result;
}

std::string comparison_text(const Comparison& c, int most) {
  const auto ratio = [](double a, double b) { return a > 0 ? fmt::format("{:.2f}x", b / a) : std::string("new"); };
  std::string text = fmt::format("step    {:.3f} ms -> {:.3f} ms ({})\nbusy    {:.1f}% -> {:.1f}%\n",
                                 1e-6 * c.step_before_ns, 1e-6 * c.step_after_ns,
                                 ratio(c.step_before_ns, c.step_after_ns), 100 * c.busy_before, 100 * c.busy_after);
  text += fmt::format("\n{:>12} {:>12} {:>12} {:>8}  {}\n", "us before", "us now", "difference", "ratio",
                      "operation (its own time in a step)");
  const auto count = std::min(c.ops.size(), static_cast<std::size_t>(std::max(most, 0)));
  for (std::size_t i = 0; i < count; ++i) {
    const OpChange& op = c.ops[i];
    const std::string names = op.name_before.empty()  ? "only now: %" + op.name_after
                              : op.name_after.empty() ? "only before: %" + op.name_before
                              : op.name_before == op.name_after
                                  ? "%" + op.name_after
                                  : fmt::format("%{}, was %{}", op.name_after, op.name_before);
    text += fmt::format("{:12.1f} {:12.1f} {:+12.1f} {:>8}  {}  {}\n", 1e-3 * op.before_ns, 1e-3 * op.after_ns,
                        1e-3 * op.difference_ns(), op.name_after.empty() ? "gone" : ratio(op.before_ns, op.after_ns),
                        printable(names), printable(op.identity));
  }
  if (count < c.ops.size()) text += fmt::format("             and {} more\n", c.ops.size() - count);
  return text;
}

nlohmann::ordered_json comparison_json(const Comparison& c) {
  using json = nlohmann::ordered_json;
  json ops = json::array();
  for (const OpChange& op : c.ops)
    ops.push_back({{"identity", op.identity},
                   {"category", op.category},
                   {"name_before", op.name_before},
                   {"name_after", op.name_after},
                   {"before_ns", op.before_ns},
                   {"after_ns", op.after_ns},
                   {"difference_ns", op.difference_ns()}});
  return {{"before", c.before},
          {"after", c.after},
          {"step_before_ns", c.step_before_ns},
          {"step_after_ns", c.step_after_ns},
          {"busy_before", c.busy_before},
          {"busy_after", c.busy_after},
          {"ops", std::move(ops)}};
}

}  // namespace weft::profile
