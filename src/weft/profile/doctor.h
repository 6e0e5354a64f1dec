// Diagnoses what costs a run time or memory, ranked by the time lost in each step, from the recorded diagnostics, the times of
// the run, the load of the machine and the settings.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>
#include <weft/profile/losses.h>

namespace weft::profile {

struct Finding {
  diagnostics::Event event;    // all events of one kind, subject, place and reason, merged; cost_ms and count are sums
  double ms_per_step = 0;      // loss of an average step
  double ms_per_step_p50 = 0;  // median of the steps' losses
  double startup_ms = 0;       // loss before the first step was done
  bool is_counted_else = false;  // another finding already counts the time of this one
  bool comes_first = false;      // while it applies, the other figures are not those of an ordinary run
};

// The times of an average step: computing_ms, the findings' ms_per_step and the parts of unexplained_ms add up to step_ms.
struct Diagnosis {
  double step_ms = 0, computing_ms = 0;
  std::vector<Finding> findings;  // by rank
  // Losses without a finding that explains them; the greatest first.
  std::vector<std::pair<Loss, double>> unexplained_ms;
  Loss disturbance = Loss::contention;  // the cause of gaps that are longer than usual

  double lost_ms() const { return step_ms - computing_ms; }
  double unexplained() const;  // the sum of unexplained_ms
};

Diagnosis diagnose(const Recording& recording, const Analysis& analysis);

std::string diagnosis_text(const Recording& recording, const Analysis& analysis, const Diagnosis& diagnosis);
nlohmann::ordered_json diagnosis_json(const Recording& recording, const Analysis& analysis, const Diagnosis& diagnosis);

}  // namespace weft::profile
