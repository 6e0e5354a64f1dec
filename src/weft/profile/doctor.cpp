#include <weft/profile/doctor.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/profile/analyse.h>
#include <weft/profile/collectives.h>
#include <weft/profile/hints.h>
#include <weft/profile/load_curve.h>
#include <weft/profile/settings.h>
#include <weft/profile/spread.h>
#include <weft/runtime/rank_waits.h>

namespace weft::profile {

namespace {

using diagnostics::Event;
using diagnostics::Kind;

constexpr double noticeable_loss = 0.02;  // the share of an average step from which on a loss is worth a finding

double total(const nlohmann::json& metrics, const char* name, const char* field) {
  if (!metrics.is_object()) return 0;
  const auto found = metrics.at("metrics").find(name);
  return found == metrics.at("metrics").end() ? 0 : found->value(field, 0.0);
}

double count(const nlohmann::json& metrics, const char* name) {
  return metrics.is_object() ? metrics.at("counters").value(name, 0.0) : 0;
}

// Returns whether a kind says that the device idles. These kinds differ only in the reason: a run has at most one of them.
bool is_idling(Kind kind) {
  return kind == Kind::transfer_too_frequent || kind == Kind::host_bound || kind == Kind::device_gap;
}

// Returns the loss that a diagnostic explains; nullopt if it explains none of a step's time.
std::optional<Loss> loss_of(Kind kind) {
  switch (kind) {
    case Kind::compile_too_frequent:
    case Kind::slow_compile:
    case Kind::cache_store:
    case Kind::recompile:
    case Kind::graph_break:
    case Kind::cache_thrash: return Loss::compile;
    case Kind::transfer_too_frequent:
    case Kind::host_bound:
    case Kind::device_gap: return Loss::idle;
    case Kind::starved_input: return Loss::input;
    case Kind::host_fallback: return Loss::fallback;
    case Kind::missed_donation: return Loss::copied;
    case Kind::contention: return Loss::contention;
    case Kind::stolen_cpu: return Loss::stolen;
    case Kind::first_run: return Loss::first_run;
    case Kind::checkpoint: return Loss::checkpoint;
    case Kind::validation: return Loss::validation;
    case Kind::hashing: return Loss::hashing;
    case Kind::straggler:
    case Kind::exposed_communication: return Loss::communication;
    case Kind::replicated_state:
    case Kind::no_replay:
    case Kind::graph_growth:
    case Kind::stale_capture:
    case Kind::repeated_upload:
    case Kind::slow_setting: break;
  }
  return std::nullopt;
}

// Returns the steps of a run as one window; for a run without steps, the whole run.
Window window_of(const Recording& recording, const Analysis& analysis, const Losses& lost) {
  const auto grown = [&](const char* name, const char* field) {
    return total(recording.last_metrics, name, field) - total(recording.first_metrics, name, field);
  };
  const auto counted = [&](const char* name) {
    return count(recording.last_metrics, name) - count(recording.first_metrics, name);
  };
  Window window;
  window.steps = std::max<std::size_t>(analysis.steps.size(), 1);
  for (const StepStats& step : analysis.steps) {
    window.wall_ms += milliseconds_of(step.wall_ns());
    window.busy_ms += milliseconds_of(step.busy_ns);
    window.host_ms += milliseconds_of(step.host_ns);
  }
  window.idle_ms = window.steps * milliseconds_of(lost.mean_ns(Loss::idle));
  window.input_wait_ms = window.steps * milliseconds_of(lost.mean_ns(Loss::input));
  if (analysis.steps.empty()) window.wall_ms = milliseconds_of(analysis.wall_ns());
  window.compiles = counted("UncachedCompile");
  window.compile_ms = milliseconds_of(grown("CompileTime", "total"));
  window.longest_compile_ms = milliseconds_of(total(recording.last_metrics, "CompileTime", "max"));
  window.reads = std::min(grown("TransferFromDeviceTime", "count"), grown("HostWaitTime", "count"));
  window.host_wait_ms = milliseconds_of(grown("HostWaitTime", "total"));
  window.evictions = counted("GraphCacheEvictions");
  // Find the program that kept the device busy for the longest time.
  std::map<std::int32_t, std::uint64_t> busy;
  for (const OpStats& op : analysis.ops) busy[op.program] += op.self_ns;
  const auto longest = std::ranges::max_element(busy, {}, [](const auto& entry) { return entry.second; });
  if (longest != busy.end()) {
    const Program& program = recording.programs[longest->first];
    window.program = program.name;
    window.is_compiled = !program.name.starts_with(sync_programs);
    for (const Op& op : program.ops)
      if (!op.info.source.empty()) window.place = op.info.source;
  }
  return window;
}

// Returns whether other machines on the same processors, or other programs on this machine, keep threads from running.
Loss cause_of_disturbance(const Recording& recording) {
  if (recording.loads.empty()) return Loss::contention;
  const Load &first = recording.loads.front(), &last = recording.loads.back();
  const LoadCurve load(recording.loads);
  const auto grown = [&](std::uint64_t Load::* figure) { return load.growth(figure, first.time_ns, last.time_ns); };
  return grown(&Load::stolen_ns) > grown(&Load::waited_ns) ? Loss::stolen : Loss::contention;
}

class Doctor {
 public:
  Doctor(const Recording& recording, const Analysis& analysis)
      : recording_(recording),
        analysis_(analysis),
        disturbance_(cause_of_disturbance(recording)),
        lost_(analysis, disturbance_),
        load_(recording.loads) {}

  Diagnosis diagnose() {
    add_settings();
    judge_run();
    add_recorded();
    add_fallbacks();
    add_judged();
    add_load();
    add_interruptions();
    add_stragglers();
    add_communication();
    add_replicated_state();
    return ranked();
  }

 private:
  std::size_t steps() const { return analysis_.steps.size(); }
  double step_ns() const { return analysis_.mean_step_ns(); }
  bool is_noticeable(Loss loss) const { return lost_.mean_ns(loss) > noticeable_loss * step_ns(); }

  void add(Event event, const Claimed& claimed, bool is_counted_else = false) {
    findings_.push_back({.event = std::move(event),
                         .ms_per_step = milliseconds_of(claimed.per_step(steps())),
                         .ms_per_step_p50 = milliseconds_of(claimed.median_per_step(steps())),
                         .startup_ms = milliseconds_of(claimed.startup_ns),
                         .is_counted_else = is_counted_else});
  }

  // Adds a finding that claims all unclaimed loss of its kind.
  void add(Event event) {
    const std::optional<Loss> loss = loss_of(event.kind);
    const Claimed claimed = loss ? lost_.claim(*loss) : Claimed();
    const bool is_counted_else = loss && claimed.step_ns.empty() && lost_.mean_ns(*loss) > 0;
    add(std::move(event), claimed, is_counted_else);
  }

  // If launches wait for their work, the device idles in between, whatever the host does then.
  void add_settings() {
    for (const SlowSetting& setting : slow_settings(recording_.about)) {
      Event event{.kind = Kind::slow_setting,
                  .subject = concat(setting.variable, '=', setting.value, ", usually ", setting.usual),
                  .reason = setting.reason,
                  .remedy = setting.remedy};
      add(std::move(event), setting.loss ? lost_.claim(*setting.loss) : Claimed());
      findings_.back().comes_first = setting.slows_kernels;
      idles_by_setting_ = idles_by_setting_ || setting.loss == Loss::idle;
    }
  }

  // Adds the recorded diagnostics of the run; each claims what was lost when it was reported.
  void add_recorded() {
    struct Merged {
      Event event;
      Claimed claimed;
    };
    std::map<std::tuple<Kind, std::string, std::string>, Merged> merged;
    std::map<Kind, double> most;  // the cost of the most expensive event, whose reason is shown
    const bool knows_fallbacks = std::ranges::any_of(analysis_.ops, is_fallback);
    for (const Event& event : recording_.events) {
      const auto is_the_same = [&](const Event& judged) { return says_the_same(event, judged); };
      if (is_idling(event.kind) || std::ranges::any_of(judged_, is_the_same)) continue;
      if (event.kind == Kind::host_fallback && knows_fallbacks) continue;
      const auto [at, is_new] = merged.try_emplace({event.kind, event.subject, event.place}, Merged{event, {}});
      Merged& all = at->second;
      double& greatest = most[event.kind];
      if (event.cost_ms > greatest) all.event.reason = event.reason;
      greatest = std::max(greatest, event.cost_ms);
      if (const std::optional<Loss> loss = loss_of(event.kind))
        all.claimed.add(lost_.claim(*loss, event.time_ns, 1e6 * event.cost_ms));
      if (is_new) continue;
      all.event.cost_ms += event.cost_ms;
      all.event.bytes += event.bytes;
      all.event.count += event.count;
    }
    for (auto& [key, all] : merged) add(std::move(all.event), all.claimed);
  }

  static bool is_fallback(const OpStats& op) { return op.category.starts_with("host"); }

  // The analysis knows each op that ran without a kernel, and its time; the total cost of fallbacks is distributed by these
  // times.
  void add_fallbacks() {
    double all_ns = 0;
    for (const OpStats& op : analysis_.ops)
      if (is_fallback(op)) all_ns += op.self_ns;
    if (all_ns == 0) return;
    const Claimed claimed = lost_.claim(Loss::fallback);
    const double ms_per_step = milliseconds_of(claimed.per_step(steps())),
                 ms_per_step_p50 = milliseconds_of(claimed.median_per_step(steps()));
    for (const OpStats& op : analysis_.ops) {
      if (!is_fallback(op)) continue;
      const double share = op.self_ns / all_ns;
      findings_.push_back({.event = {.kind = Kind::host_fallback,
                                     .subject = "%" + op.name,
                                     .place = op.source,
                                     .reason = fmt::format("it runs {}, {:.3f} ms each time",
                                                           op.category == "host" ? "on the host" : "in the interpreter",
                                                           milliseconds_of(op.spread.median)),
                                     .cost_ms = milliseconds_of(op.self_ns),
                                     .count = op.occurrences},
                           .ms_per_step = share * ms_per_step,
                           .ms_per_step_p50 = share * ms_per_step_p50});
    }
  }

  // Judges the run as a whole, as the hints judged parts of it. The hints know the place, and why the device idled: how long
  // the host computed.
  void judge_run() {
    for (Event& event : judge(window_of(recording_, analysis_, lost_))) {
      if (event.kind == Kind::host_fallback || (is_idling(event.kind) && idles_by_setting_)) continue;
      const auto known =
          std::ranges::find_if(recording_.events, [&](const Event& other) { return says_the_same(event, other); });
      if (known != recording_.events.end()) {
        if (event.kind == Kind::slow_compile) continue;  // each was reported when it happened
        if (known->kind != event.kind) event.reason = known->reason;
        event.kind = known->kind;
        event.subject = known->subject;
        event.place = known->place;
        event.remedy = known->remedy;
      }
      judged_.push_back(std::move(event));
    }
  }

  static bool says_the_same(const Event& a, const Event& b) {
    return a.kind == b.kind || (is_idling(a.kind) && is_idling(b.kind));
  }

  void add_judged() {
    for (const Event& event : judged_) add(event);
    add_idling_of_a_part();
  }

  // Adds a finding if the device idled only in some steps, too few for a hint for the whole run.
  void add_idling_of_a_part() {
    if (idles_by_setting_ || steps() == 0 || !is_noticeable(Loss::idle)) return;
    const auto idles = [](const Event& event) { return is_idling(event.kind); };
    const auto is_told = [&](const Finding& finding) { return idles(finding.event); };
    if (std::ranges::any_of(findings_, is_told)) return;
    if (const auto known = std::ranges::find_if(recording_.events, idles); known != recording_.events.end())
      add(*known);
  }

  // Describes how busy other programs and machines kept the CPUs while the steps ran.
  std::string load_of_steps(bool is_stolen) const {
    const std::uint64_t begin = analysis_.steps.front().begin_ns, end = analysis_.steps.back().end_ns;
    const auto per_ns = [&](std::uint64_t Load::* figure) {
      return load_.growth(figure, begin, end) / std::max<std::uint64_t>(end - begin, 1);
    };
    if (is_stolen) return fmt::format("the hypervisor took {:.2f} CPUs for something else", per_ns(&Load::stolen_ns));
    const double cpus = about_number(recording_.about, "cpus");
    const double own = per_ns(&Load::cpu_ns), others = std::max(0.0, per_ns(&Load::machine_cpu_ns) - own);
    return fmt::format(
        "threads that were ready waited {:.3f} ms a step in total for a CPU, and were preempted {:.0f} times "
        "a second; other programs kept {:.2f} of {:.0f} CPUs busy, this one {:.2f}",
        milliseconds_of(per_ns(&Load::waited_ns) * step_ns()), 1e9 * per_ns(&Load::preemptions), others, cpus, own);
  }

  // Describes how long the program with the longest time takes when nothing disturbs it.
  std::string undisturbed() const {
    const auto longest = std::ranges::find_if(analysis_.ops, [](const OpStats& op) { return op.op >= 0; });
    if (longest == analysis_.ops.end()) return "";
    return fmt::format("; %{} takes {:.3f} ms at its fastest, {:.3f} ms in the median, {:.3f} ms at its slowest",
                       longest->name, milliseconds_of(longest->spread.least), milliseconds_of(longest->spread.median),
                       milliseconds_of(longest->spread.greatest));
  }

  void add_load() {
    for (const auto& [loss, kind] :
         {std::pair(Loss::contention, Kind::contention), std::pair(Loss::stolen, Kind::stolen_cpu)}) {
      if (steps() == 0 || !is_noticeable(loss)) continue;
      const bool is_stolen = loss == Loss::stolen;
      Event event{.kind = kind,
                  .reason = load_of_steps(is_stolen) + undisturbed(),
                  .cost_ms = milliseconds_of(lost_.mean_ns(loss)) * steps()};
      if (!is_stolen && !others_are_busy())
        event.remedy =
            "this process has more threads that compute than CPUs: lower WEFT_NUM_THREADS, or use fewer loader workers";
      add(std::move(event));
    }
  }

  bool others_are_busy() const {
    const std::uint64_t begin = analysis_.steps.front().begin_ns, end = analysis_.steps.back().end_ns;
    const double others = load_.growth(&Load::machine_cpu_ns, begin, end) - load_.growth(&Load::cpu_ns, begin, end);
    return others > 0.25 * (end - begin);
  }

  // Adds findings for work between steps, and for work that happens once.
  void add_interruptions() {
    const auto add_if_noticeable = [this](Loss loss, Kind kind, const char* category, const std::string& what) {
      if (steps() == 0 || !is_noticeable(loss)) return;
      const std::uint64_t times = count_spans(category);
      const double all_ms = milliseconds_of(lost_.mean_ns(loss)) * steps();
      add({.kind = kind,
           .reason = fmt::format("{}{:.1f} ms in {} steps", what, all_ms, steps()),
           .cost_ms = all_ms,
           .count = std::max<std::uint64_t>(times, 1)});
    };
    add_if_noticeable(Loss::checkpoint, Kind::checkpoint, "checkpoint",
                      "while the host reads the parameters, hashes and writes them, the device has nothing to do: ");
    add_if_noticeable(Loss::validation, Kind::validation, "validation", "no step runs meanwhile: ");
    add_if_noticeable(Loss::hashing, Kind::hashing, "hash", "the host reads whole files: ");
    add_if_noticeable(
        Loss::first_run, Kind::first_run, "",
        "a first run touches new memory and prepares kernels; beyond the programs' median times it took ");
  }

  // Adds a finding for each process for which others wait. A wait of this process is exposed communication; where others wait for this
  // one, its steps lose nothing.
  void add_stragglers() {
    if (steps() == 0) return;
    struct Waits {
      double ns = 0;
      bool are_own = false;
      std::vector<const Span*> spans;
      std::set<std::uint64_t> launches;
    };
    std::map<std::uint32_t, Waits> waits_for;
    const std::uint64_t begin = analysis_.steps.front().begin_ns, end = analysis_.steps.back().end_ns;
    const auto own = static_cast<std::uint32_t>(about_number(recording_.about, "rank"));
    for (const Span& span : recording_.spans) {
      if (recording_.category(span) != runtime::rank_wait_category || span.begin_ns < begin || span.end_ns > end)
        continue;
      const auto wait = runtime::RankWait::parse(recording_.name(span));
      if (!wait) continue;
      Waits& waits = waits_for[wait->late];
      waits.are_own = wait->waiting == own;
      waits.spans.push_back(&span);
      waits.ns += static_cast<double>(span.ns());
      waits.launches.insert(span.number);
    }
    for (const auto& [rank, waits] : waits_for) {
      const double mean_ns = waits.ns / static_cast<double>(steps());
      if (mean_ns < noticeable_loss * step_ns()) continue;
      Claimed claimed;
      for (const Span* span : waits.spans)
        if (waits.are_own) claimed.add(lost_.claim(Loss::communication, span->end_ns, span->ns()));
      add({.kind = Kind::straggler,
           .subject = concat("rank ", rank),
           .reason = fmt::format("{} for it in {} launches, {:.3f} ms a step",
                                 waits.are_own ? "this rank waits" : "another rank waits", waits.launches.size(),
                                 milliseconds_of(mean_ns)),
           .cost_ms = milliseconds_of(waits.ns),
           .count = waits.launches.size()},
          claimed, claimed.step_ns.empty());
    }
  }

  // Adds a finding for each of the collectives for which devices wait the longest, and one for the others. They share the loss by their
  // exposed times.
  void add_communication() {
    if (steps() == 0 || !is_noticeable(Loss::communication)) return;
    constexpr std::size_t most = 3;
    const Claimed claimed = lost_.claim(Loss::communication);
    std::vector<CollectiveStats> all = collective_stats(recording_, analysis_);
    std::erase_if(all, [](const CollectiveStats& c) { return c.op->exposed_ns == 0; });
    double all_ns = 0, others_ns = 0;
    for (const CollectiveStats& c : all) all_ns += static_cast<double>(c.op->exposed_ns);
    const auto add_share = [&](Event event, double exposed_ns) {
      const double share = exposed_ns / all_ns;
      event.cost_ms = 1e-6 * exposed_ns;
      findings_.push_back({.event = std::move(event),
                           .ms_per_step = share * milliseconds_of(claimed.per_step(steps())),
                           .ms_per_step_p50 = share * milliseconds_of(claimed.median_per_step(steps()))});
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto exposed_ns = static_cast<double>(all[i].op->exposed_ns);
      i < most ? add_share(exposed(all[i]), exposed_ns) : void(others_ns += exposed_ns);
    }
    if (others_ns > 0)
      add_share({.kind = Kind::exposed_communication,
                 .subject = concat(all.size() - most, " other collectives"),
                 .reason = "nothing else runs beside them",
                 .count = all.size() - most},
                others_ns);
  }

  static Event exposed(const CollectiveStats& c) {
    Event event{
        .kind = Kind::exposed_communication,
        .subject = "%" + c.op->name,
        .place = c.op->source,
        .reason = fmt::format("it takes {:.3f} ms each time, {:.3f} ms as predicted for the link, and for {:.3f} "
                              "ms nothing else runs; each device sends {}",
                              1e-6 * c.op->spread.median, 1e-6 * c.op->predicted_ns, 1e-6 * c.exposed_ns(),
                              format_bytes(c.sent_bytes())),
        .count = c.op->occurrences};
    if (!c.tensors.empty()) {
      event.reason += concat("; ", c.tensors.front()->reason);
      if (!c.tensors.front()->remedies.empty()) event.remedy = c.tensors.front()->remedies.front();
    }
    return event;
  }

  // Adds a finding for each program that keeps state on every device which devices could divide.
  void add_replicated_state() {
    std::set<std::int32_t> ran;
    for (const OpStats& op : analysis_.ops) ran.insert(op.program);
    for (const std::int32_t index : ran) {
      const Program& program = recording_.programs[index];
      for (const runtime::ReplicatedState& state : program.description.replicated) {
        const double saved = state.bytes * static_cast<double>(state.devices - 1) / static_cast<double>(state.devices);
        constexpr double worth_mentioning = 1 << 20;
        if (saved < worth_mentioning) continue;
        add({.kind = Kind::replicated_state,
             .subject = program.name,
             .reason = fmt::format(
                 "all {} devices along {} hold the same {} tensors of {}, which are only updated element by "
                 "element; divided, they would take {} less on each device",
                 state.devices, state.axis, state.tensors, format_bytes(state.bytes), format_bytes(saved)),
             .bytes = static_cast<std::uint64_t>(saved)},
            Claimed());
      }
    }
  }

  // Counts spans; of nested ones, such as a save and its writing, only the outer one.
  std::uint64_t count_spans(std::string_view category) const {
    const std::uint64_t begin = analysis_.steps.front().begin_ns, end = analysis_.steps.back().end_ns;
    const Intervals spans = of_category(recording_, category);
    return std::ranges::count_if(spans.parts(),
                                 [&](const Interval& span) { return span.begin >= begin && span.end <= end; });
  }

  Diagnosis ranked() {
    Diagnosis diagnosis;
    diagnosis.step_ms = milliseconds_of(step_ns());
    diagnosis.disturbance = disturbance_;
    double lost_ns = lost_.copied_ns();
    for (std::size_t i = 0; i < losses; ++i) {
      const auto loss = static_cast<Loss>(i);
      lost_ns += lost_.mean_ns(loss);
      if (const double left = lost_.left_ns(loss); left > 0)
        diagnosis.unexplained_ms.emplace_back(loss, milliseconds_of(left));
    }
    diagnosis.computing_ms = diagnosis.step_ms - milliseconds_of(lost_ns);
    std::ranges::sort(diagnosis.unexplained_ms, std::greater{}, &std::pair<Loss, double>::second);
    std::ranges::stable_sort(findings_, std::greater{}, [](const Finding& finding) {
      return std::tuple(finding.comes_first, finding.ms_per_step, finding.startup_ms);
    });
    diagnosis.findings = std::move(findings_);
    return diagnosis;
  }

  const Recording& recording_;
  const Analysis& analysis_;
  const Loss disturbance_;
  Losses lost_;
  const LoadCurve load_;
  std::vector<Event> judged_;  // for the whole run
  std::vector<Finding> findings_;
  bool idles_by_setting_ = false;
};

}  // namespace

double Diagnosis::unexplained() const {
  double sum = 0;
  for (const auto& [loss, ms] : unexplained_ms) sum += ms;
  return sum;
}

Diagnosis diagnose(const Recording& recording, const Analysis& analysis) {
  return Doctor(recording, analysis).diagnose();
}

}  // namespace weft::profile
