// A profile for the terminal, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>

namespace weft::profile {

// Where the step's time went, then the `most` ops that took the most.
std::string table(const Recording& recording, const Analysis& analysis, int most = 20);

// The `most` ops that took the most, with the columns of XProf's HLO Op Stats.
std::string op_table(const Analysis& analysis, int most);

// All of it. The keys are stable; times are nanoseconds, rates per second, shares fractions of 1. Medians and percentiles of an op
// leave its first execution out, which has a time of its own.
nlohmann::ordered_json ops_json(const Recording& recording, const Analysis& analysis);

}  // namespace weft::profile
