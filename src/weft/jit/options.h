// Options of compile().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weft/base/error.h>
#include <weft/ir/mesh.h>

namespace weft {

// How much to spend for speed. A mode changes results only within the limits of the numerics contract, and not at all
// in strict mode.
enum class Mode : std::uint8_t {
  standard,
  reduce_overhead,  // for small programs: the program keeps its memory, and the device stays awake for the next call
  // Like reduce_overhead. Also measures the alternatives of an operation when it is compiled (log: autotuning), if its
  // sizes are known then.
  max_autotune,
  max_autotune_no_replay,  // only the measurements
};

// What happens when a function needs more programs than its limit. The first occurrence is reported as a warning.
enum class LimitPolicy : std::uint8_t {
  evict,      // forgets the least recently used program
  error,      // the call throws RecompileError
  interpret,  // the interpreter runs the call: slow, but correct
  // Sizes become symbols, as with Dynamic::automatic: one more program serves all further sizes. Like evict if calls
  // differ in more than sizes.
  generalise,
};

// How sizes of arguments that change from call to call are handled.
enum class Dynamic : std::uint8_t {
  // From the second size on, one program serves all sizes. With mark_dynamic it does so from the first call on;
  // mark_dynamic contradicts options that need a program for each size.
  automatic,
  // From the first call on, one program serves all sizes that the function leaves free. The function is recorded a few
  // times more.
  on,
  off,  // every size has its own program
};

// A value was read while a function with fullgraph was recorded.
class GraphBreakError : public Error {
 public:
  using Error::Error;
};

// A program would have to be compiled, but a limit or a stance forbids it.
class RecompileError : public Error {
 public:
  using Error::Error;
};

// Throws Error for options that contradict each other: compile() does if the options contradict each other, a call does
// if they contradict the marks of its arguments.
struct CompileOptions {
  bool fullgraph = false;  // reading a value inside the function is an error, not a graph break
  Dynamic dynamic = Dynamic::automatic;
  Mode mode = Mode::standard;
  // "standard", or for debugging "eager" (no fusion) or "interpreter"; empty: the value of WEFT_BACKEND.
  std::string backend = {};
  // The maximum number of programs for different arguments, including programs that another function compiled first and
  // excluding those of buckets; limit_policy says what happens beyond it.
  int recompile_limit = 8;
  LimitPolicy limit_policy = LimitPolicy::evict;
  // Also measures products with sizes padded to whole vectors, if the sizes are known. The measuring modes always do
  // this.
  bool shape_padding = false;
  // The maximum size of values that wait for a later use, as activations do for the backward pass. Beyond it, the
  // values that are cheapest to compute again are not kept. Each size then has its own program, and mark_dynamic is an
  // error. 0: no limit.
  std::uint64_t activation_memory_bytes = 0;
  // The mesh on whose devices the function runs: see tensor/sharding.h. Each size then has its own program. nullopt: the
  // mesh of its sharded arguments or of set_mesh, or one device.
  std::optional<ir::Mesh> mesh = {};
  // For debugging: every call is also recorded, and throws Error if a replay would have done something else.
  bool check_replays = false;
  std::string name = {};  // for messages; default: the place where compile() was called
};

// What calls of compiled functions do on this thread during the lifetime of a StanceScope. (torch.compiler.set_stance)
enum class Stance : std::uint8_t {
  standard,
  force_eager,         // runs the function in every call, one kernel per operation
  eager_on_recompile,  // runs known programs, also one for many sizes; otherwise like force_eager
  eager_then_compile,  // the first call of a function like force_eager, later calls like standard
  fail_on_recompile,   // throws RecompileError instead of compiling
};

class StanceScope {
 public:
  explicit StanceScope(Stance stance);
  ~StanceScope();
  StanceScope(const StanceScope&) = delete;
  StanceScope& operator=(const StanceScope&) = delete;

 private:
  Stance before_;
};
Stance current_stance();

namespace jit {
const char* text(Mode mode);  // such as: mode max_autotune
inline bool measures(Mode mode) { return mode == Mode::max_autotune || mode == Mode::max_autotune_no_replay; }
// Throws Error, which names both options and the remedy, if one option makes another ineffective.
void require_consistent(const CompileOptions& options);
}  // namespace jit

}  // namespace weft
