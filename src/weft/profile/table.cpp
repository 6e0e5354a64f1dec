#include <weft/profile/table.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/profile/collectives.h>
#include <weft/profile/measured_schedule.h>
#include <weft/profile/serialize.h>
#include <weft/profile/spread.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

double per(double a, double b) { return b > 0 ? a / b : 0; }

// Returns a text that fits into a line of the table, without control characters and shortened if too long.
std::string shown(std::string text, std::size_t longest) {
  text = printable(std::move(text));
  return text.size() <= longest ? text : concat("...", text.substr(text.size() - longest + 3));
}

std::string place_of(const OpStats& op) {
  const auto slash = op.source.rfind('/');
  const std::string line = slash == std::string::npos ? op.source : op.source.substr(slash + 1);
  return op.scope.empty() ? line : line.empty() ? op.scope : concat(op.scope, "  ", line);
}

std::string breakdown(const Analysis& analysis) {
  const double wall = analysis.wall_ns();
  std::string text =
      fmt::format("device  {:.1f} ms, of it busy {:.1f} ms ({:.1f}%), gaps {:.2f} ms ({:.1f}%)",
                  milliseconds_of(analysis.wall_ns()), milliseconds_of(analysis.busy_ns),
                  100 * per(analysis.busy_ns, wall), milliseconds_of(analysis.gap()), 100 * per(analysis.gap(), wall));
  const char* separator = ": ";
  for (int i = 0; i < gap_causes; ++i) {
    if (analysis.gap_ns[i] == 0) continue;
    text += fmt::format("{}{} {:.2f}", separator, name(static_cast<GapCause>(i)), milliseconds_of(analysis.gap_ns[i]));
    separator = ", ";
  }
  const Spread steps = analysis.step_spread();
  text += fmt::format(
      "\nsteps   {} ({}), median {:.3f} ms, eight of ten from {:.3f} to {:.3f} ms; {} launches, queued {:.3f} ms on "
      "average\n",
      analysis.steps.size(), analysis.step_source, 1e-6 * steps.median, 1e-6 * steps.p10, 1e-6 * steps.p90,
      analysis.launches, per(milliseconds_of(analysis.queue_ns), analysis.launches));
  return text;
}

std::string programs(const Analysis& analysis) {
  struct Sum {
    std::string name;
    std::uint64_t ns = 0, launches = 0;
    int ops = 0;
  };
  std::map<std::int32_t, Sum> sums;
  for (const OpStats& op : analysis.ops) {
    Sum& sum = sums[op.program];
    sum.name = op.program_name;
    sum.ns += op.self_ns;
    if (op.op < 0) {
      sum.launches = op.occurrences;
    } else {
      ++sum.ops;
    }
  }
  std::string text = "\nprog   self ms   share launches    ops  program\n";
  for (const auto& [program, sum] : sums)
    text += fmt::format("{:4} {:9.2f} {:6.1f}% {:8} {:6}  {}\n", program, milliseconds_of(sum.ns),
                        100 * per(sum.ns, analysis.busy_ns), sum.launches, sum.ops, shown(sum.name, 60));
  return text;
}

std::string categories(const Analysis& analysis) {
  struct Sum {
    std::uint64_t ns = 0, occurrences = 0;
    int ops = 0;
  };
  std::map<std::string, Sum> sums;
  for (const OpStats& op : analysis.ops) {
    Sum& sum = sums[op.category];
    sum.ns += op.self_ns;
    sum.occurrences += op.occurrences;
    ++sum.ops;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::string text = "\n  self ms   share    ops  category\n";
  for (const auto& [category, sum] : sorted)
    text += fmt::format("{:9.2f} {:6.1f}% {:6}  {}\n", milliseconds_of(sum.ns), 100 * per(sum.ns, analysis.busy_ns),
                        sum.ops, shown(category, 40));
  return text;
}

std::string op_line(const OpStats& op) {
  const std::string predicted = op.predicted_ns > 0 ? fmt::format("{:.1f}x", op.over_prediction()) : "";
  return fmt::format(
      "{:4} {:4} {:9.2f} {:5.1f}% {:5.1f}% {:7} {:9.1f} {:9.1f} {:9.1f} {:8.1f} {:7.1f} {:>8} {:>7}  {:34} {:24} {}\n",
      op.rank, op.program, milliseconds_of(op.self_ns), 100 * op.share, 100 * op.cumulative_share, op.occurrences,
      1e-3 * op.spread.median, 1e-3 * op.spread.p90, 1e-3 * op.first_ns, 1e-9 * op.flops_per_s(),
      1e-9 * op.bytes_per_s(), name(op.bound), predicted, shown("%" + op.name, 34), shown(op.category, 24),
      shown(place_of(op), 60));
}

}  // namespace

std::string op_table(const Analysis& analysis, int most) {
  std::string text =
      fmt::format("{:>4} {:>4} {:>9} {:>6} {:>6} {:>7} {:>9} {:>9} {:>9} {:>8} {:>7} {:>8} {:>7}  {:34} {:24} {}\n",
                  "rank", "prog", "self ms", "share", "sum", "runs", "median us", "p90 us", "first us", "GFLOP/s",
                  "GB/s", "bound", "x roof", "name", "category", "module and source");
  const auto count = std::min(analysis.ops.size(), static_cast<std::size_t>(std::max(most, 0)));
  for (std::size_t i = 0; i < count; ++i) text += op_line(analysis.ops[i]);
  if (count < analysis.ops.size()) text += fmt::format("     and {} more\n", analysis.ops.size() - count);
  return text;
}

std::string table(const Recording& recording, const Analysis& analysis, int most) {
  std::string text;
  for (const std::string& note : recording.notes) text += fmt::format("note: {}\n", note);
  if (analysis.launches == 0) return text + "nothing ran on the device\n";
  text += breakdown(analysis);
  if (const double share = recording_share(recording); share >= 0)
    text += fmt::format("cost    recording took about {:.2f}% of the time; {} events, {} dropped\n", 100 * share,
                        recording.spans.size(), recording.dropped);
  if (recording.roofs.flops > 0)
    text += fmt::format("roofs   {:.0f} GFLOP/s, {:.1f} GB/s from memory, {:.1f} GB/s from caches\n",
                        1e-9 * recording.roofs.flops, 1e-9 * recording.roofs.memory_bytes,
                        1e-9 * recording.roofs.cache_bytes);
  return concat(text, programs(analysis), categories(analysis), collective_table(recording, analysis, most),
                schedule_text(recording), '\n', op_table(analysis, most));
}

nlohmann::ordered_json ops_json(const Recording& recording, const Analysis& analysis) {
  using nlohmann::ordered_json;
  const auto gaps = [](const std::uint64_t(&parts)[gap_causes]) {
    ordered_json all = ordered_json::object();
    for (int i = 0; i < gap_causes; ++i) all[std::string(name(static_cast<GapCause>(i)))] = parts[i];
    return all;
  };
  const auto slow = [](const std::uint64_t(&parts)[slow_causes]) {
    ordered_json all = ordered_json::object();
    for (int i = 0; i < slow_causes; ++i) all[std::string(name(static_cast<SlowCause>(i)))] = parts[i];
    return all;
  };
  ordered_json ops = ordered_json::array(), steps = ordered_json::array();
  for (const OpStats& op : analysis.ops) {
    const Program& program = recording.programs[op.program];
    const runtime::Instruction* const instruction = program.instruction(op.op);
    ops.push_back(
        {{"rank", op.rank},
         {"program", op.program_name},
         {"program_id", op.program},
         {"category", op.category},
         {"name", "%" + op.name},
         {"text", instruction ? hlo_line(program.description, *program.description.entry(), *instruction) : ""},
         {"identity", op.identity},
         {"occurrences", op.occurrences},
         {"total_ns", op.total_ns},
         {"self_ns", op.self_ns},
         {"avg_ns", op.average_ns()},
         {"first_ns", op.first_ns},
         {"median_ns", op.spread.median},
         {"p10_ns", op.spread.p10},
         {"p90_ns", op.spread.p90},
         {"min_ns", op.spread.least},
         {"max_ns", op.spread.greatest},
         {"share", op.share},
         {"cumulative_share", op.cumulative_share},
         {"flops", op.flops},
         {"bytes", op.bytes},
         {"flops_per_s", op.flops_per_s()},
         {"bytes_per_s", op.bytes_per_s()},
         {"bound", name(op.bound)},
         {"predicted_ns", op.predicted_ns},
         {"exposed_ns", op.exposed_ns},
         {"measured_over_predicted", op.predicted_ns > 0 ? ordered_json(op.over_prediction()) : ordered_json()},
         {"source", op.source},
         {"module", op.scope}});
  }
  for (const StepStats& step : analysis.steps)
    steps.push_back({{"number", step.number},
                     {"wall_ns", step.wall_ns()},
                     {"busy_ns", step.busy_ns},
                     {"host_ns", step.host_ns},
                     {"exposed_ns", step.exposed_ns},
                     {"slow_ns", slow(step.slow_ns)},
                     {"gap_ns", gaps(step.gap_ns)}});
  const double share = recording_share(recording);
  return {{"about", recording.about},
          {"complete", recording.complete},
          {"notes", recording.notes},
          {"events", recording.spans.size()},
          {"dropped", recording.dropped},
          {"recording_share", share >= 0 ? ordered_json(share) : ordered_json()},
          {"roofs",
           {{"flops", recording.roofs.flops},
            {"memory_bytes", recording.roofs.memory_bytes},
            {"cache_bytes", recording.roofs.cache_bytes}}},
          {"device",
           {{"wall_ns", analysis.wall_ns()},
            {"busy_ns", analysis.busy_ns},
            {"gap_ns", analysis.gap()},
            {"gaps", gaps(analysis.gap_ns)},
            {"queue_ns", analysis.queue_ns},
            {"launches", analysis.launches},
            {"ops_ns", analysis.ops_ns}}},
          {"communication", collective_json(recording, analysis)},
          {"step_source", analysis.step_source},
          {"step_ns_p50", analysis.median_step_ns()},
          {"step_ns_p10", analysis.step_spread().p10},
          {"step_ns_p90", analysis.step_spread().p90},
          {"steps", std::move(steps)},
          {"ops", std::move(ops)}};
}

}  // namespace weft::profile
