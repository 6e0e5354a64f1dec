// The report of a compilation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/options/division.h>

namespace weft::compiler {

struct PassTiming {
  std::string name;
  double ms = 0;
  bool changed = false;
};

// A group of operations that became one kernel, or two groups that were not fused, with the reason.
struct Fusion {
  std::string name, operations, source;  // of the last operation
  std::string refused = {};              // why the groups were not fused; empty if they were
};

// Code that was compiled once and is called several times, such as the code of identical layers.
struct SharedCode {
  std::string name, source;          // of the first kernel that calls it
  int calls = 0;                     // in one launch
  std::vector<std::string> modules;  // the paths of the modules that call it
};

struct Report {
  double total_ms = 0;
  std::vector<PassTiming> passes;
  int nodes = 0, thunks = 0, kernels = 0, distinct_kernels = 0;
  // How many of the distinct kernels were new to this process: compiled, or loaded from disk.
  int compiled_kernels = 0, loaded_kernels = 0;
  std::vector<SharedCode> shared;
  std::vector<std::string> fallbacks;  // nodes that run in the interpreter, each with the reason
  std::uint64_t peak_bytes = 0;
  double flops = 0, moved_bytes = 0;  // of one launch; moved_bytes: between kernels and memory
  std::vector<Fusion> fusions;
  std::string cache_miss;  // why the disk did not have all kernels; empty if none was missing or the disk was not asked
  int recomputed = 0;      // nodes that are computed again because of activation_bytes
  std::optional<Division> division = {};  // of a program for a mesh
  // Finds what would remove the collectives of the division, by dividing the program again, which takes a fraction of a second
  // (spmd/remedies.h). Empty for other programs.
  std::function<void(const NameOfInput& name_of_input, Division& division)> add_remedies = {};
  std::string not_hidden = {};       // why collectives are not hidden as well as they could be; empty: they are
  std::vector<std::string> choices;  // what autotuning measured and chose, one line each
};

}  // namespace weft::compiler
