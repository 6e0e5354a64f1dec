// What this process has compiled, as bytes for other processes and machines of the same build of weft and the same processor.
//   write_file("step.artifacts", weft::save_artifacts());   // after the first steps
//   weft::load_artifacts(read_file("step.artifacts"));      // elsewhere, before them: nothing of that is compiled then
// They hold no choices of autotuning, which is measured again where it is asked for; what `weft cache export` writes does.
// Artifacts hold machine code. They are signed with the user's key (`weft cache info` shows its public half) and refused unless
// they verify: an artifact of somebody else is taken if WEFT_TRUSTED_KEYS lists that key. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// The kernels in memory.
std::string save_artifacts();
// Takes them in; returns how many. Throws Error, which says why, for bytes that are damaged, for something else, or not trusted.
std::size_t load_artifacts(std::string_view bytes);

}  // namespace weft
