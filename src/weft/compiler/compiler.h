// Graph to Executable: simplify, fuse, schedule, plan memory, generate kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/target.h>
#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {

struct Unit;
class Observer;

// What is measured, when a program is compiled, to be done in the fastest way.
enum class Tuning : std::uint8_t {
  none,
  padding,  // products, as they are and with sizes filled up to whole vectors
  all,
};

struct Options {
  const Target* target = &Target::host();  // the machine that the program is for
  std::string name = {};                   // of the program, in messages and profiles; empty: the graph's
  // Strict mode: no contraction of multiply and add, and results independent of the number of threads and of fusion, bit for bit.
  bool strict = false;
  bool fuse = true;                       // off: one kernel per node
  std::set<std::string> disabled_passes;  // by name
  std::vector<bool> donatable;            // per input: its bytes may be taken over by an output; missing: none
  Tuning tuning = Tuning::none;           // not in strict mode
  // What values may take that wait for a later use, as activations do for the backward pass: beyond it the cheapest are computed
  // again instead of kept. 0: all are kept.
  std::uint64_t activation_bytes = 0;
  // The program keeps the memory of its outputs from launch to launch (runtime/kept_blocks.h).
  bool keeps_memory = false;
  Observer* observer = nullptr;

  static Options from_knobs();  // strict and fuse as WEFT_STRICT and WEFT_FUSE say
};

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
  // Of the distinct ones, those that no program of the process had before: compiled, or found on disk.
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

// Sees what a program becomes while it is compiled; before it, the programs of its loops and branches.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void units(const ir::Graph& optimised, std::span<const Unit> units) = 0;
  virtual void executable(const runtime::Executable& executable, const Report& report) = 0;
};

// Compiles the graph. Throws UnsupportedError for what only the interpreter runs: narrow element types, ops that talk to the host or
// to other processes. Thread-safe; deterministic: equal graphs and options give equal
// programs.
std::shared_ptr<const runtime::Executable> compile(const ir::Graph& graph, const Options& options = {},
                                                   Report* report = nullptr);

// Forgets the code of kernels, but for that of programs that are held.
void clear_kernel_cache();

}  // namespace weft::compiler
