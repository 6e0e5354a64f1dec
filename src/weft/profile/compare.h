// Compares two profiles, matching their ops by identity: the ops of one model keep their identities whatever numbers a
// compilation gives them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>

namespace weft::profile {

struct OpChange {
  std::string identity, category, name_before, name_after;  // a name is empty if the run has no such op
  double before_ns = 0, after_ns = 0;                       // own time per step
  double difference_ns() const { return after_ns - before_ns; }
};

struct Comparison {
  std::string before, after;                     // the recordings
  double step_before_ns = 0, step_after_ns = 0;  // medians
  double busy_before = 0, busy_after = 0;        // shares of the wall time
  std::vector<OpChange> ops;                     // the greatest change first
};

Comparison compare(const Recording& before, const Analysis& before_analysis, const Recording& after,
                   const Analysis& after_analysis);

std::string comparison_text(const Comparison& comparison, int most = 20);
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace weft::profile
