// Handmade recordings, whose analysis can be computed by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/profile/recording.h>

namespace weft::profile {

class Synthetic {
 public:
  Synthetic() {
    recording_.threads = {"main thread", "device", "communication"};
    recording_.about = {{"cpus", 2}, {"threads", 2}};
    recording_.complete = true;
  }

  // Adds a program of one op of this category.
  std::int32_t program(const std::string& name, const std::string& category = "dot") {
    Program& made = recording_.programs.emplace_back();
    made.name = name;
    runtime::ThunkInfo& op = made.ops.emplace_back().info;
    op.name = "op";
    op.category = category;
    op.source = "model.cpp:1";
    return static_cast<std::int32_t>(recording_.programs.size() - 1);
  }

  // Adds work of the host between two times, in microseconds.
  void host(const std::string& category, const std::string& name, double from_us, double to_us,
            std::uint64_t number = 0) {
    recording_.spans.push_back({.category = string(category),
                                .name = string(name),
                                .begin_ns = ns(from_us),
                                .end_ns = ns(to_us),
                                .number = number});
  }

  // Adds an op to a program: a collective for which the link takes this time.
  std::int32_t collective(std::int32_t program, const std::string& name, double link_us) {
    runtime::ThunkInfo& op = recording_.programs[program].ops.emplace_back().info;
    op.name = name;
    op.category = "collective";
    op.link_seconds = 1e-6 * link_us;
    return static_cast<std::int32_t>(recording_.programs[program].ops.size() - 1);
  }

  // Adds a run of an op within the last launch, on a stream of its own.
  void op(std::int32_t program, std::int32_t op, double from_us, double to_us) {
    recording_.spans.push_back({.category = string("thunk"),
                                .name = string("op"),
                                .thread = 2,
                                .program = program,
                                .op = op,
                                .begin_ns = ns(from_us),
                                .end_ns = ns(to_us),
                                .number = launches_ - 1});
  }

  runtime::ProgramDescription& description(std::int32_t program) { return recording_.programs[program].description; }

  // Adds a launch of a program, which the host makes right before the device runs it. `computes_until_us`: its op ends before the launch.
  void launch(std::int32_t program, double from_us, double to_us, double computes_until_us = 0) {
    const std::uint64_t number = launches_++;
    host("host", "launch", from_us - 0.002, from_us - 0.001, number);
    Span span{.category = string("device"),
              .name = string("program"),
              .thread = 1,
              .program = program,
              .begin_ns = ns(from_us),
              .end_ns = ns(to_us),
              .number = number};
    recording_.spans.push_back(span);
    span.category = string("thunk");
    span.op = 0;
    if (computes_until_us > 0) span.end_ns = ns(computes_until_us);
    recording_.spans.push_back(span);
  }

  // Adds a step: the host prepares its execution from the first time to the second, and the device runs it until the third.
  void step(std::int32_t program, double from_us, double busy_from_us, double to_us, double computes_until_us = 0) {
    host("step", "train", from_us, busy_from_us, steps_++);
    launch(program, busy_from_us, to_us, computes_until_us);
  }

  void load(double time_us, double waited_us, double stolen_us = 0, double own_us = 0, double machine_us = 0) {
    recording_.loads.push_back({.time_ns = ns(time_us),
                                .cpu_ns = ns(own_us) - ns(0),
                                .waited_ns = ns(waited_us) - ns(0),
                                .machine_cpu_ns = ns(machine_us) - ns(0),
                                .stolen_ns = ns(stolen_us) - ns(0)});
  }

  void event(diagnostics::Kind kind, double time_us, double cost_ms, const std::string& reason = "") {
    recording_.events.push_back({.kind = kind,
                                 .subject = "f",
                                 .place = "loop.cpp:3",
                                 .reason = reason,
                                 .cost_ms = cost_ms,
                                 .time_ns = ns(time_us)});
  }

  void setting(const std::string& variable, const std::string& value, const std::string& usual) {
    recording_.about["settings"][variable] = {value, usual};
  }

  // Sets what the process counted while it was recorded.
  void metric(const std::string& name, double count, double total_ms) {
    for (auto* metrics : {&recording_.first_metrics, &recording_.last_metrics})
      if (metrics->is_null())
        *metrics = {{"metrics", nlohmann::json::object()}, {"counters", nlohmann::json::object()}};
    recording_.last_metrics["metrics"][name] = {{"count", count}, {"total", 1e6 * total_ms}};
  }

  Recording recording() const {
    Recording sorted = recording_;
    std::ranges::stable_sort(sorted.spans, [](const Span& a, const Span& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    return sorted;
  }

 private:
  static std::uint64_t ns(double us) { return static_cast<std::uint64_t>(1'000'000 + std::llround(1e3 * us)); }

  std::uint32_t string(const std::string& text) {
    const auto found = std::ranges::find(recording_.strings, text);
    if (found == recording_.strings.end()) recording_.strings.push_back(text);
    return static_cast<std::uint32_t>(std::ranges::find(recording_.strings, text) - recording_.strings.begin());
  }

  Recording recording_;
  std::uint64_t launches_ = 0, steps_ = 0;
};

}  // namespace weft::profile
