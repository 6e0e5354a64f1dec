// An Explanation describes what a compiled function became: its specialisations with their guards, graph breaks,
// recompiles and frozen values.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include <weft/compiler/options/report.h>

namespace weft {

struct ExplainOptions {
  // Whether to find what would remove each collective of a program for a mesh: the program is divided in up to 16 other ways for it.
  bool remedies = true;
};

struct Explanation {
  struct Kernel {
    std::string name, category, source;
    double flops = 0, bytes = 0;
  };
  // One compiled graph.
  struct Graph {
    std::string ended_by = {};  // the graph break after it; empty if it is the last graph of the call
    std::uint64_t nodes = 0, kernels = 0, peak_bytes = 0;
    double flops = 0, moved_bytes = 0;              // per launch; moved_bytes: between kernels and memory
    std::vector<Kernel> launches = {};              // in launch order
    std::vector<compiler::Fusion> fusions = {};     // applied, or refused with the reason
    std::vector<compiler::SharedCode> shared = {};  // generated code that several kernels share
    std::vector<std::string> choices = {};          // the alternatives that autotuning measured and chose
    std::vector<compiler::PassTiming> phases = {};  // the times of its compilation phases
    // Generated kernels; the loaded ones come from the disk.
    int distinct_kernels = 0, compiled_kernels = 0, loaded_kernels = 0;
    // If it is divided among the devices of a mesh: how, which collectives became one, and for each tensor that a collective carries
    // its cost, its reason and what would remove it.
    std::string devices = {};
    std::vector<std::string> joined = {}, collectives = {};
    std::uint64_t communications = 0;  // collectives in one launch, each of which may carry several tensors
    double sent_bytes = 0;             // by each device in one launch
    std::string cache_miss = {};       // the reason why not all kernels were loaded from the disk
  };
  // The program that calls with the same guards run.
  struct Program : Graph {
    std::vector<std::string> arguments;  // "images: tensor<8x784xf32>"
    std::vector<std::string> guards;     // in addition to the types of the arguments
    std::vector<std::string> frozen;     // numbers and tensors that keep their values from the recording
    std::string rerecorded_because;      // empty: calls are replayed
    std::uint64_t inputs = 0, updates = 0, replays = 0;
    std::uint64_t inlined = 0;  // calls that became part of the surrounding recording
    // Where a gradient was taken through a result, which caused the inlining; empty if nowhere.
    std::string differentiated_at;
    double compile_ms = 0;      // 0: an equal program existed already
    std::vector<Graph> before;  // for a cut graph: the graphs up to each break, in order
  };
  struct Break {
    std::string reason, place;
    std::uint64_t count = 0;
    double ms = 0;  // total, from each cut until the next recorded operation
  };
  std::string function;
  std::uint64_t calls = 0, recorded = 0, compiles = 0, evicted = 0;
  std::uint64_t compiled_ahead = 0;    // in the background, for other buckets; not counted in `compiles`
  std::string sizes = {};              // the reason why each size has its own program; empty if sizes can share one
  std::vector<Program> programs = {};  // the most recently used first
  std::vector<Break> breaks = {};
  std::vector<std::string> recompiles = {};  // the reason for each, one line each

  // Returns how the last used program is divided among the devices of a mesh: "8 devices (data=8): ..."; empty if it is
  // not.
  std::string devices() const { return programs.empty() ? std::string() : programs.front().devices; }

  // Returns a summary: a few lines for each kind of information, with counts and the largest items.
  std::string text() const;
  // Returns everything: each guard, kernel, fusion (applied or refused) and phase.
  std::string details() const;
  std::string json() const;
  friend std::ostream& operator<<(std::ostream& out, const Explanation& explanation);
};

}  // namespace weft
