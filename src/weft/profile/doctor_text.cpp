// Prints a diagnosis for people and as JSON.
#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/profile/doctor.h>
#include <weft/profile/serialize.h>
#include <weft/profile/spread.h>

namespace weft::profile {

namespace {

using diagnostics::Event;

// Prints a time between 0.0001 ms and hours with three significant digits.
std::string time(double ms) {
  if (ms >= 10'000) return fmt::format("{:.1f} s", 1e-3 * ms);
  return fmt::format("{:.{}f} ms", ms, ms >= 100 ? 1 : ms >= 10 ? 2 : 3);
}

// A program without a name of its own is named after its place.
std::string where(const Event& e) {
  const bool is_said = e.subject.ends_with(e.place.substr(e.place.rfind('/') + 1));
  return is_said ? e.subject : concat(e.subject, e.subject.empty() ? "" : ", ", e.place);
}

std::string remedy(const Event& e) {
  return e.remedy.empty() ? std::string(diagnostics::usual_remedy(e.kind)) : e.remedy;
}

std::string cost(const Finding& finding) {
  if (finding.ms_per_step > 0) {
    std::string text = time(finding.ms_per_step) + " a step";
    if (finding.ms_per_step_p50 < 0.5 * finding.ms_per_step)
      text += fmt::format(" on average ({} in the median step)", time(finding.ms_per_step_p50));
    return text;
  }
  if (finding.startup_ms > 0) return time(finding.startup_ms) + " before the first step was done";
  if (finding.is_counted_else) return "its time is counted in another finding";
  return finding.event.cost_ms > 0 ? time(finding.event.cost_ms) + ", but no step waited for it" : "cost not measured";
}

std::string finding_text(int rank, const Finding& finding) {
  const Event& e = finding.event;
  std::string text = fmt::format("\n{}. {}: {}{}\n", rank, cost(finding), diagnostics::description(e.kind),
                                 e.count > 1 ? fmt::format(", {} times", e.count) : "");
  const auto line = [&](const char* label, const std::string& value) {
    if (!value.empty()) text += fmt::format("   {:7} {}\n", label, printable(value));
  };
  line("where", where(e));
  line("why", e.reason);
  line("remedy", remedy(e));
  return text;
}

struct Parts {
  std::vector<std::pair<Loss, double>> lost_ms;  // the greatest first
  double computing_ms = 0;
};

Parts parts_of(const Period& period, Loss disturbance) {
  Parts parts{.lost_ms = {}, .computing_ms = milliseconds_of(period.computing_ns())};
  const LossParts lost = loss_parts(period, disturbance);
  for (std::size_t i = 0; i < losses; ++i)
    if (lost[i] > 0) parts.lost_ms.emplace_back(static_cast<Loss>(i), milliseconds_of(lost[i]));
  std::ranges::stable_sort(parts.lost_ms, std::greater{}, &std::pair<Loss, double>::second);
  return parts;
}

std::string list(const std::vector<std::pair<Loss, double>>& lost_ms, std::string_view idle) {
  std::string text;
  for (const auto& [loss, ms] : lost_ms)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loss == Loss::idle ? idle : description(loss), time(ms));
  return text;
}

// Describes a period that occurs once, in which the process does more than training.
std::string once(const char* when, const Period& period, Loss disturbance) {
  const Parts parts = parts_of(period, disturbance);
  if (period.wall_ns() == 0) return "";
  const std::string lost = list(parts.lost_ms, "other work of the host");
  return fmt::format("{} {}: {}{}computing {}\n", when, time(milliseconds_of(period.wall_ns())), lost,
                     lost.empty() ? "" : ", ", time(parts.computing_ms));
}

std::string header(const Analysis& analysis, const Diagnosis& diagnosis) {
  const double wall = std::max<std::uint64_t>(analysis.wall_ns(), 1);
  const std::string text = analysis.launches == 0 ? "nothing ran on the device\n"
                                                  : fmt::format("the device was busy {:.1f}% of the time\n",
                                                                100 * static_cast<double>(analysis.busy_ns) / wall);
  if (analysis.steps.empty()) return once("all", analysis.startup, diagnosis.disturbance) + text;
  const Spread steps = analysis.step_spread();
  return fmt::format("{} steps of {} (median; from {} to {}, {} on average); {}", analysis.steps.size(),
                     time(milliseconds_of(steps.median)), time(milliseconds_of(steps.least)),
                     time(milliseconds_of(steps.greatest)), time(diagnosis.step_ms), text) +
         fmt::format("an average step computes {} and loses {}\n", time(diagnosis.computing_ms),
                     time(diagnosis.lost_ms())) +
         once("before the first step was done", analysis.startup, diagnosis.disturbance) +
         once("after the last step", analysis.ending, diagnosis.disturbance);
}

nlohmann::ordered_json parts_json(const Period& period, Loss disturbance) {
  const Parts parts = parts_of(period, disturbance);
  nlohmann::ordered_json all = {{"ms", milliseconds_of(period.wall_ns())}, {"computing", parts.computing_ms}};
  for (const auto& [loss, ms] : parts.lost_ms) all[std::string(name(loss))] = ms;
  return all;
}

nlohmann::ordered_json finding_json(const Finding& finding) {
  nlohmann::ordered_json one = to_json(finding.event);
  one["title"] = diagnostics::description(finding.event.kind);
  one["ms_per_step"] = finding.ms_per_step;
  one["ms_per_step_p50"] = finding.ms_per_step_p50;
  one["startup_ms"] = finding.startup_ms;
  one["cost"] = cost(finding);
  one["remedy"] = remedy(finding.event);
  return one;
}

}  // namespace

std::string diagnosis_text(const Recording& recording, const Analysis& analysis, const Diagnosis& diagnosis) {
  std::string text;
  for (const std::string& note : recording.notes) text += fmt::format("note: {}\n", note);
  text += header(analysis, diagnosis);
  if (diagnosis.findings.empty() && analysis.launches > 0) text += "no avoidable costs found\n";
  int rank = 0;
  for (const Finding& finding : diagnosis.findings) text += finding_text(++rank, finding);
  if (diagnosis.unexplained() > 0)
    text += fmt::format("\nunexplained: {} a step: {}\n", time(diagnosis.unexplained()),
                        list(diagnosis.unexplained_ms, description(Loss::idle)));
  return text;
}

nlohmann::ordered_json diagnosis_json(const Recording& recording, const Analysis& analysis,
                                      const Diagnosis& diagnosis) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array(), unexplained = nlohmann::ordered_json::object();
  for (const Finding& finding : diagnosis.findings) findings.push_back(finding_json(finding));
  for (const auto& [loss, ms] : diagnosis.unexplained_ms) unexplained[std::string(name(loss))] = ms;
  const Spread steps = analysis.step_spread();
  return {{"complete", recording.complete},
          {"notes", recording.notes},
          {"steps", analysis.steps.size()},
          {"step_ns_p50", steps.median},
          {"step_ns_mean", analysis.mean_step_ns()},
          {"step_ns_p10", steps.p10},
          {"step_ns_p90", steps.p90},
          {"step_ns_min", steps.least},
          {"step_ns_max", steps.greatest},
          {"busy_ns", analysis.busy_ns},
          {"wall_ns", analysis.wall_ns()},
          {"step_ms", diagnosis.step_ms},
          {"computing_ms", diagnosis.computing_ms},
          {"lost_ms", diagnosis.lost_ms()},
          {"findings", std::move(findings)},
          {"unexplained_ms", diagnosis.unexplained()},
          {"unexplained", std::move(unexplained)},
          {"startup", parts_json(analysis.startup, diagnosis.disturbance)},
          {"ending", parts_json(analysis.ending, diagnosis.disturbance)}};
}

}  // namespace weft::profile
