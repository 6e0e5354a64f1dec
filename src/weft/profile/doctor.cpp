#include <weft/profile/doctor.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/profile/hints.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using diagnostics::Event;
using diagnostics::Kind;

double ms(double ns) { return 1e-6 * ns; }

double total(const nlohmann::json& metrics, const char* name, const char* field) {
  if (!metrics.is_object()) return 0;
  const auto found = metrics.at("metrics").find(name);
  return found == metrics.at("metrics").end() ? 0 : found->value(field, 0.0);
}

double count(const nlohmann::json& metrics, const char* name) {
  return metrics.is_object() ? metrics.at("counters").value(name, 0.0) : 0;
}

// Of which a window has one.
bool is_idling(Kind kind) {
  return kind == Kind::transfer_too_frequent || kind == Kind::host_bound || kind == Kind::device_gap;
}

// A program without a name of its own is called by its place.
std::string where(const Event& e) {
  const bool is_said = e.subject.ends_with(e.place.substr(e.place.rfind('/') + 1));
  return is_said ? e.subject : concat(e.subject, e.subject.empty() ? "" : ", ", e.place);
}

// The run as one window.
Window window_of(const Recording& recording, const Analysis& analysis) {
  const auto grown = [&](const char* name, const char* field) {
    return total(recording.last_metrics, name, field) - total(recording.first_metrics, name, field);
  };
  const auto counted = [&](const char* name) {
    return count(recording.last_metrics, name) - count(recording.first_metrics, name);
  };
  Window window;
  window.steps = static_cast<double>(std::max<std::size_t>(analysis.steps.size(), 1));
  window.wall_ms = ms(static_cast<double>(analysis.wall_ns()));
  window.busy_ms = ms(static_cast<double>(analysis.busy_ns));
  for (const StepStats& step : analysis.steps) window.host_ms += ms(static_cast<double>(step.host_ns));
  window.idle_ms = ms(static_cast<double>(analysis.gap() - analysis.gap_ns[static_cast<int>(GapCause::compile)] -
                                          analysis.gap_ns[static_cast<int>(GapCause::input)]));
  window.compiles = counted("UncachedCompile");
  window.compile_ms = ms(grown("CompileTime", "total"));
  window.longest_compile_ms = ms(total(recording.last_metrics, "CompileTime", "max"));
  window.reads = grown("TransferFromDeviceTime", "count");
  window.host_wait_ms = ms(grown("HostWaitTime", "total"));
  window.input_wait_ms = ms(static_cast<double>(analysis.gap_ns[static_cast<int>(GapCause::input)]));
  window.evictions = counted("GraphCacheEvictions");
  // The program that the device was busy with most.
  std::map<std::int32_t, std::uint64_t> busy;
  for (const OpStats& op : analysis.ops) busy[op.program] += op.self_ns;
  const auto longest = std::ranges::max_element(busy, {}, [](const auto& entry) { return entry.second; });
  if (longest != busy.end()) {
    const Program& program = recording.programs[static_cast<std::size_t>(longest->first)];
    window.program = program.name;
    window.is_compiled = !program.name.starts_with(sync_programs);
    for (const Op& op : program.ops)
      if (!op.info.source.empty()) window.place = op.info.source;
  }
  return window;
}

}  // namespace

std::vector<Finding> diagnose(const Recording& recording, const Analysis& analysis) {
  std::map<std::tuple<Kind, std::string, std::string>, Event> merged;
  std::map<Kind, double> most;  // the reason of the one that cost most is told
  const auto add = [&](const Event& event) {
    const auto [at, is_new] = merged.try_emplace({event.kind, event.subject, event.place}, event);
    double& greatest = most[event.kind];
    if (event.cost_ms > greatest) at->second.reason = event.reason;
    greatest = std::max(greatest, event.cost_ms);
    if (is_new) return;
    at->second.cost_ms += event.cost_ms;
    at->second.bytes += event.bytes;
    at->second.count += event.count;
  };
  for (const Event& event : recording.events) add(event);
  // What ran without a kernel is known op by op, with its time.
  for (const OpStats& op : analysis.ops) {
    if (!op.category.starts_with("host")) continue;
    std::erase_if(merged, [](const auto& entry) {
      return std::get<0>(entry.first) == Kind::host_fallback && !entry.second.subject.starts_with('%');
    });
    add({.kind = Kind::host_fallback,
         .subject = "%" + op.name,
         .place = op.source,
         .reason = fmt::format("it runs {}, {:.3f} ms each time",
                               op.category == "host" ? "on the host" : "in the interpreter", ms(op.average_ns())),
         .cost_ms = ms(static_cast<double>(op.self_ns)),
         .count = op.occurrences});
  }
  // Hints of the run say the same of a part of it; they know the place, and why the device idled: how long the host computed.
  for (Event& event : judge(window_of(recording, analysis))) {
    if (event.kind == Kind::host_fallback) continue;
    const auto says_the_same = [&event](const auto& entry) {
      const Kind kind = std::get<0>(entry.first);
      return kind == event.kind || (is_idling(kind) && is_idling(event.kind));
    };
    if (const auto known = std::ranges::find_if(merged, says_the_same); known != merged.end()) {
      if (known->second.kind != event.kind) event.reason = known->second.reason;
      event.kind = known->second.kind;
      event.subject = known->second.subject;
      event.place = known->second.place;
      event.remedy = known->second.remedy;
    }
    std::erase_if(merged, says_the_same);
    add(event);
  }
  const double steps = static_cast<double>(std::max<std::size_t>(analysis.steps.size(), 1));
  std::vector<Finding> findings;
  for (auto& [key, event] : merged) findings.push_back({event, event.cost_ms / steps});
  std::ranges::stable_sort(findings, std::greater{}, &Finding::ms_per_step);
  return findings;
}

std::string findings_text(const Recording& recording, const Analysis& analysis, const std::vector<Finding>& findings) {
  std::string text;
  for (const std::string& note : recording.notes) text += fmt::format("note: {}\n", note);
  text += fmt::format("{} steps of {:.3f} ms (median); the device was busy {:.1f}% of the time\n",
                      analysis.steps.size(), 1e-6 * analysis.median_step_ns(),
                      100.0 * static_cast<double>(analysis.busy_ns) /
                          static_cast<double>(std::max<std::uint64_t>(analysis.wall_ns(), 1)));
  if (findings.empty()) return text + "nothing found that costs time and need not\n";
  int rank = 0;
  for (const Finding& finding : findings) {
    const Event& e = finding.event;
    const std::string cost =
        finding.ms_per_step > 0 ? fmt::format("{:.3f} ms a step", finding.ms_per_step) : "cost not measured";
    text += fmt::format("\n{}. {}: {}{}\n", ++rank, cost, diagnostics::description(e.kind),
                        e.count > 1 ? fmt::format(", {} times", e.count) : "");
    const auto line = [&](const char* label, const std::string& value) {
      if (!value.empty()) text += fmt::format("   {:7} {}\n", label, value);
    };
    line("where", where(e));
    line("why", e.reason);
    line("remedy", e.remedy.empty() ? std::string(diagnostics::usual_remedy(e.kind)) : e.remedy);
  }
  return text;
}

nlohmann::ordered_json findings_json(const Recording& recording, const Analysis& analysis,
                                     const std::vector<Finding>& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json one = to_json(finding.event);
    one["ms_per_step"] = finding.ms_per_step;
    if (finding.event.remedy.empty()) one["remedy"] = diagnostics::usual_remedy(finding.event.kind);
    all.push_back(std::move(one));
  }
  return {{"complete", recording.complete}, {"notes", recording.notes},
          {"steps", analysis.steps.size()}, {"step_ns_p50", analysis.median_step_ns()},
          {"busy_ns", analysis.busy_ns},    {"wall_ns", analysis.wall_ns()},
          {"findings", std::move(all)}};
}

}  // namespace weft::profile
