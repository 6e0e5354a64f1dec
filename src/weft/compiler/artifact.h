// Compiled kernels in one piece, to carry to other processes and machines. An artifact is signed by who made it and taken only
// whole: bytes that are damaged, cut, made for another build or processor, or signed by a key that this user does not trust are
// refused, and nothing of them is executed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <weft/compiler/cache/entry.h>

namespace weft::compiler {

class DiskCache;

struct Artifact {
  std::vector<StoredKernel> kernels;
  std::vector<std::vector<std::size_t>> programs = {};  // their kernels, in the order of their entries on disk
  std::vector<StoredKernel> choices = {};               // of autotuning
};

std::string write_artifact(const Artifact& artifact);
Artifact read_artifact(std::string_view bytes);  // throws Error: why it is refused

// All usable entries of a folder; and back: returns how many entries stand there at the end, and says, to `why_not`, if given, why
// not all.
Artifact artifact_of(const DiskCache& cache);
std::size_t add_to(const DiskCache& cache, const Artifact& artifact, std::string* why_not = nullptr);

}  // namespace weft::compiler
