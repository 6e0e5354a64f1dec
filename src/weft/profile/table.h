// Prints a profile for the terminal, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <weft/profile/analysis.h>

namespace weft::profile {

// Prints where the time of the steps went, then the `most` ops that took the most time.
std::string table(const Recording& recording, const Analysis& analysis, int most = 20);

// Prints the `most` ops that took the most time, with the columns of XProf's HLO Op Stats.
std::string op_table(const Analysis& analysis, int most);

// Returns the whole profile. The keys are stable; times are in nanoseconds, rates per second, shares are fractions of 1.
// Medians and percentiles of an op leave out its first execution, which is listed separately.
nlohmann::ordered_json ops_json(const Recording& recording, const Analysis& analysis);

}  // namespace weft::profile
