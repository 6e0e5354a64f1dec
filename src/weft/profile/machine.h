// The machine that a profile was recorded on.
#pragma once

#include <string>

#include <weft/profile/recording.h>

namespace weft::profile {

std::string host_name();
std::string cpu_name();  // empty if the system does not provide it

// Measures what the kernel threads achieve; takes about a fifth of a second.
Roofs measure_roofs();

}  // namespace weft::profile
