// The parts of analyse().
#pragma once

#include <string_view>
#include <vector>

#include <weft/profile/analysis.h>
#include <weft/profile/intervals.h>

namespace weft::profile {

// The times during which such a span was open.
Intervals of_category(const Recording& recording, std::string_view category);

std::vector<OpStats> op_stats(const Recording& recording);  // by their own time; shares are not set
// Sets the steps, and the periods before and after them, as busy time and gaps.
void add_steps(const Recording& recording, Analysis& analysis);
// Sets how long collectives ran, and how much of that nothing hid.
void add_communication(const Recording& recording, Analysis& analysis);
// Finds how much longer than necessary the device was busy in the steps, and how much of their gaps the load of the machine
// explains.
void add_slowness(const Recording& recording, Analysis& analysis);

}  // namespace weft::profile
