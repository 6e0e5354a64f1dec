// The machine that a profile was recorded on.
#pragma once

#include <string>

#include <weft/profile/recording.h>

namespace weft::profile {

std::string host_name();
std::string cpu_name();  // empty: the system does not say

// Measures what the kernel threads reach, in about a fifth of a second.
Roofs measure_roofs();

}  // namespace weft::profile
