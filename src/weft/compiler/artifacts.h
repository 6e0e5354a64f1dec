// Everything that this process has compiled, as bytes for other processes and machines with the same build of weft and the same processor.
//   write_file("step.artifacts", weft::save_artifacts());   // after the first steps
//   weft::load_artifacts(read_file("step.artifacts"));      // in another process, before its first steps: it then compiles nothing of this
// Artifacts also hold the choices of autotuning: the other process does not measure what was chosen here, unless it has already made its
// own choice.
// Artifacts hold machine code. They are signed with the user's key (`weft cache info` shows the public half) and refused if the signature
// does not verify. Another user's artifact is accepted if WEFT_TRUSTED_KEYS lists that user's key. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// Returns the kernels and choices in memory as bytes.
std::string save_artifacts();
// Adds the kernels and choices of an artifact; returns the number of kernels. Throws Error with the reason if the bytes are damaged, are no
// artifact for this build and processor, or are not trusted.
std::size_t load_artifacts(std::string_view bytes);

}  // namespace weft
