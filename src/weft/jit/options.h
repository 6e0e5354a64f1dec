// How compile() treats a function.
#pragma once

#include <cstdint>
#include <string>

#include <weft/base/error.h>

namespace weft {

// What is worth spending for speed. Modes change no results beyond what the numerics contract leaves open, in strict mode none.
enum class Mode : std::uint8_t {
  standard,
  reduce_overhead,  // for small programs: memory that stays with the program, a device that awaits the next call awake
  max_autotune,  // that, and: what can be done in several ways is measured when it is compiled (log: autotuning), where
                 // its sizes are known then
  max_autotune_no_replay,  // only the latter
};

// What happens when a function would need more programs than its limit. Whatever happens is said, once, as a warning.
enum class LimitPolicy : std::uint8_t {
  evict,      // the least recently used one is forgotten
  error,      // the call throws RecompileError
  interpret,  // the call is run by the interpreter: slow, and right
  generalise,  // sizes become symbols, as with Dynamic::automatic: one more program, for all further sizes; where other things than
               // sizes differ, as evict
};

// What becomes of sizes of arguments that change from call to call.
enum class Dynamic : std::uint8_t {
  automatic,  // one program for all sizes from the second on, and from the first where mark_dynamic says so, which contradicts
              // an option that makes programs for their sizes alone
  on,   // from the first, for every size of an argument that the function leaves free: it is recorded a few times more
  off,  // every size has a program of its own
};

// A value was read while a function that must be one graph was recorded.
class GraphBreakError : public Error {
 public:
  using Error::Error;
};

// A program would have to be compiled, which a limit or a stance forbids.
class RecompileError : public Error {
 public:
  using Error::Error;
};

// compile() throws Error for options that contradict each other, and a call for arguments that were marked in a way that the options
// contradict.
struct CompileOptions {
  bool fullgraph = false;  // a value read inside the function is an error, not a graph break
  Dynamic dynamic = Dynamic::automatic;
  Mode mode = Mode::standard;
  // "standard"; for debugging, "eager" (no fusion) or "interpreter"; empty: as WEFT_BACKEND says.
  std::string backend = {};
  // Programs for different arguments, whether this function or another one was the first to need them, but for those of buckets;
  // what happens beyond.
  int recompile_limit = 8;
  LimitPolicy limit_policy = LimitPolicy::evict;
  // Products are measured with sizes filled up to whole vectors too, as the modes that measure do anyway, where their sizes are
  // known.
  bool shape_padding = false;
  // What values may take that wait for a later use, as activations do for the backward pass. Beyond it those that are cheapest
  // to compute again are not kept. Each size has a program of its own then, and mark_dynamic is an error. 0: no limit.
  std::uint64_t activation_memory_bytes = 0;
  // For debugging: every call is recorded as well, and throws Error where a replay would have done something else.
  bool check_replays = false;
  std::string name = {};  // in messages; else the place where compile() was called
};

// What calls of compiled functions do, on this thread, while a StanceScope lives. (torch.compiler.set_stance)
enum class Stance : std::uint8_t {
  standard,
  force_eager,         // run the function in every call, one kernel for each operation
  eager_on_recompile,  // run known programs, also one for many sizes; what would have to be compiled as force_eager
  eager_then_compile,  // the first call of a function as force_eager, those after it as standard
  fail_on_recompile,   // throw RecompileError instead of compiling
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
const char* text(Mode mode);  // mode max_autotune
inline bool measures(Mode mode) { return mode == Mode::max_autotune || mode == Mode::max_autotune_no_replay; }
// Throws Error, which names both and what to do, for options of which one would be without effect.
void require_consistent(const CompileOptions& options);
}  // namespace jit

}  // namespace weft
