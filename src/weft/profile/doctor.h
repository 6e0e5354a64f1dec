// What costs a run time or memory, ranked by the time lost in each step: the diagnostics that were recorded, and what the times of
// the run say by themselves.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>

namespace weft::profile {

struct Finding {
  diagnostics::Event event;  // all of its kind, subject, place and reason as one; cost_ms and count in all
  double ms_per_step = 0;    // lost, as far as it is known
};

std::vector<Finding> diagnose(const Recording& recording, const Analysis& analysis);

std::string findings_text(const Recording& recording, const Analysis& analysis, const std::vector<Finding>& findings);
nlohmann::ordered_json findings_json(const Recording& recording, const Analysis& analysis,
                                     const std::vector<Finding>& findings);

}  // namespace weft::profile
