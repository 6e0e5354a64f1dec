// What costs a run time or memory, ranked by the time lost in each step: the diagnostics that were recorded, and what the times of
// the run, the load of the machine and the settings say by themselves.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>
#include <weft/profile/losses.h>

namespace weft::profile {

struct Finding {
  diagnostics::Event event;      // all of its kind, subject, place and reason as one; cost_ms and count in all
  double ms_per_step = 0;        // what an average step loses to it
  double ms_per_step_p50 = 0;    // what the median of the steps loses to it
  double startup_ms = 0;         // lost before the first step was done
  bool is_counted_else = false;  // another finding claims the time that this one cost
  bool comes_first = false;      // as long as it lasts, the other figures are not those of an ordinary run
};

// The times of an average step: computing_ms, the findings' ms_per_step and the parts of unexplained_ms add up to step_ms.
struct Diagnosis {
  double step_ms = 0, computing_ms = 0;
  std::vector<Finding> findings;                        // ranked
  std::vector<std::pair<Loss, double>> unexplained_ms;  // lost, and no finding says why; the greatest first
  Loss disturbance = Loss::contention;                  // what gaps go to that are longer than usual

  double lost_ms() const { return step_ms - computing_ms; }
  double unexplained() const;  // all of it
};

Diagnosis diagnose(const Recording& recording, const Analysis& analysis);

std::string diagnosis_text(const Recording& recording, const Analysis& analysis, const Diagnosis& diagnosis);
nlohmann::ordered_json diagnosis_json(const Recording& recording, const Analysis& analysis, const Diagnosis& diagnosis);

}  // namespace weft::profile
