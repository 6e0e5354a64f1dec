// Records what the process does from the creation of the client on, and tells of it when the process ends: python -m weft_jax.
#pragma once

#include <string>

namespace weft::pjrt {

// `tells`: doctor, what cost time and could be avoided; or explain, the program that took the most time, as it was compiled. Throws Error for
// anything else. Only the first call counts.
void record_process(const std::string& folder, const std::string& tells);

}  // namespace weft::pjrt
