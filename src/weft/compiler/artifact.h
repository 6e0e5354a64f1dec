// Compiled kernels as one piece of bytes, to carry to other processes and machines. An artifact is signed by its maker and accepted only as
// a whole: bytes that are damaged, truncated, made for another build or processor, or signed by a key that this user does not trust are
// refused, and nothing in them is executed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/status.h>
#include <weft/compiler/cache/entry.h>

namespace weft::compiler {

class DiskCache;

struct Artifact {
  std::vector<StoredKernel> kernels;
  // For each program, the indices of its kernels, in the order of its entry on disk.
  std::vector<std::vector<std::size_t>> programs = {};
  std::vector<StoredKernel> choices = {};  // the choices of autotuning
};

std::string write_artifact(const Artifact& artifact);
Artifact read_artifact(std::string_view bytes);  // throws Error with the reason if the bytes are refused

// Collects all usable entries of a cache folder.
Artifact artifact_of(const DiskCache& cache);
struct Import {
  std::size_t entries = 0;  // of the artifact that the folder holds in the end
  Status status = {};       // why some are missing
};
// Adds the artifact to a cache folder.
Import add_to(const DiskCache& cache, const Artifact& artifact);

}  // namespace weft::compiler
