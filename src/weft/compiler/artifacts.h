// What this process has compiled, as bytes for other processes and machines of the same build of weft and the same processor.
//   write_file("step.artifacts", weft::save_artifacts());   // after the first steps
//   weft::load_artifacts(read_file("step.artifacts"));      // elsewhere, before them: nothing of that is compiled then
// They hold the choices of autotuning, too: what this process chose is not measured there, unless something else was chosen before.
// Artifacts hold machine code. They are signed with the user's key (`weft cache info` shows its public half) and refused unless
// they verify: an artifact of somebody else is taken if WEFT_TRUSTED_KEYS lists that key. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// The kernels and choices in memory.
std::string save_artifacts();
// Takes them in; returns how many kernels. Throws Error, which says why, for bytes that are damaged, for something else, or not
// trusted.
std::size_t load_artifacts(std::string_view bytes);

}  // namespace weft
