// What a compiled function became: its specialisations with their guards, graph breaks, recompiles and what was frozen.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <weft/compiler/options/report.h>

namespace weft {

struct Explanation {
  struct Kernel {
    std::string name, category, source;
    double flops = 0, bytes = 0;
  };
  // One compiled graph.
  struct Graph {
    std::string ended_by = {};  // the break behind it; empty: it is the call's last
    std::uint64_t nodes = 0, kernels = 0, peak_bytes = 0;
    double flops = 0, moved_bytes = 0;                                   // of one launch: between kernels and memory
    std::vector<Kernel> launches = {};                                   // in their order
    std::vector<compiler::Fusion> fusions = {};                          // made, and refused with the reason
    std::vector<compiler::SharedCode> shared = {};                       // made once for several kernels
    std::vector<std::string> choices = {};                               // what autotuning measured and took
    std::vector<compiler::PassTiming> phases = {};                       // of its compilation
    int distinct_kernels = 0, compiled_kernels = 0, loaded_kernels = 0;  // generated ones; the last are from the disk
    std::string cache_miss = {};                                         // why not all of them
  };
  // What calls with the same guards run.
  struct Program : Graph {
    std::vector<std::string> arguments;  // "images: tensor<8x784xf32>"
    std::vector<std::string> guards;     // beside the arguments' types
    std::vector<std::string> frozen;     // numbers and tensors that are as they were when it was recorded
    std::string rerecorded_because;      // empty: calls are replayed
    std::uint64_t inputs = 0, updates = 0, replays = 0;
    std::uint64_t inlined = 0;      // calls that became part of the recording around them
    std::string differentiated_at;  // where a gradient was taken through a result, which is why; empty: nowhere
    double compile_ms = 0;          // 0: an equal program was known
    std::vector<Graph> before;      // where its graph is cut: the graphs up to each break, in their order
  };
  struct Break {
    std::string reason, place;
    std::uint64_t count = 0;
    double ms = 0;  // in all, from the cut until something was recorded again
  };
  std::string function;
  std::uint64_t calls = 0, recorded = 0, compiles = 0, evicted = 0;
  std::uint64_t compiled_ahead = 0;    // for other buckets, in the background; not among the compiles
  std::string sizes = {};              // why each size has a program of its own; empty: they need not
  std::vector<Program> programs = {};  // the last used first
  std::vector<Break> breaks = {};
  std::vector<std::string> recompiles = {};  // why, one line for each

  // In short: a line or a few for each kind of thing, with counts and what is largest.
  std::string text() const;
  // All of it: every guard, kernel, fusion made or refused, and phase.
  std::string details() const;
  std::string json() const;
  friend std::ostream& operator<<(std::ostream& out, const Explanation& explanation);
};

}  // namespace weft
