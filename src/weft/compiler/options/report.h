// What a compilation says of its work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::compiler {

struct PassTiming {
  std::string name;
  double ms = 0;
  bool changed = false;
};

// Operations that became one kernel, or two groups of them that did not, and why.
struct Fusion {
  std::string name, operations, source;  // of the last one
  std::string refused = {};              // empty: they are one
};

// Code that was made once and is called several times, as that of layers which are alike.
struct SharedCode {
  std::string name, source;          // of the kernel that calls it first
  int calls = 0;                     // in one launch
  std::vector<std::string> modules;  // that call it, by their paths
};

struct Report {
  double total_ms = 0;
  std::vector<PassTiming> passes;
  int nodes = 0, thunks = 0, kernels = 0, distinct_kernels = 0;
  // How many of the distinct kernels no program of the process had before: they were compiled, or found on disk.
  int compiled_kernels = 0, loaded_kernels = 0;
  std::vector<SharedCode> shared;
  std::vector<std::string> fallbacks;  // nodes that run in the interpreter, each with the reason
  std::uint64_t peak_bytes = 0;
  double flops = 0, moved_bytes = 0;  // by one launch, between kernels and memory
  std::vector<Fusion> fusions;
  std::string cache_miss;  // why the disk did not give all kernels; empty: it was not asked for one that it had not
  int recomputed = 0;      // nodes that activation_bytes had computed again
  std::vector<std::string> choices;  // what autotuning measured and took, one line each
};

}  // namespace weft::compiler
