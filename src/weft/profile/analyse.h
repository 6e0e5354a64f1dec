// The parts of analyse().
#pragma once

#include <string_view>
#include <vector>

#include <weft/profile/analysis.h>
#include <weft/profile/intervals.h>

namespace weft::profile {

Intervals of_category(const Recording& recording, std::string_view category);  // when such a span was open

std::vector<OpStats> op_stats(const Recording& recording);  // by their own time; shares are left out
// The steps, and what came before and after them, as busy time and gaps.
void add_steps(const Recording& recording, Analysis& analysis);
// Finds how much of the steps' busy time the device took longer than it needs, and how much of their gaps the load of the machine
// explains.
void add_slowness(const Recording& recording, Analysis& analysis);

}  // namespace weft::profile
