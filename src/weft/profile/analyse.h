// The parts of analyse().
#pragma once

#include <vector>

#include <weft/profile/analysis.h>

namespace weft::profile {

std::vector<OpStats> op_stats(const Recording& recording);  // by their own time; shares are left out
void add_steps(const Recording& recording, Analysis& analysis);

}  // namespace weft::profile
