// Measures a phase of a compilation, from its construction to its destruction, for the report and for traces.
#pragma once

#include <chrono>

#include <weft/base/trace.h>
#include <weft/compiler/options/report.h>

namespace weft::compiler {

class Phase {
 public:
  Phase(Report& report, const char* name)
      : report_(report), name_(name), start_(Clock::now()), scope_("compile", name) {}
  ~Phase() {
    report_.passes.push_back(
        {name_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count(), changed});
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  bool changed = true;

 private:
  using Clock = std::chrono::steady_clock;

  Report& report_;
  const char* name_;
  Clock::time_point start_;
  trace::Scope scope_;
};

}  // namespace weft::compiler
