// How compile() treats a function.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// What happens when a function would need more programs than its limit.
enum class LimitPolicy : std::uint8_t {
  evict,      // the least recently used one is forgotten
  error,      // the call throws RecompileError
  interpret,  // the call is run by the interpreter: slow, and right
};

struct CompileOptions {
  std::string name = {};   // in messages; else the place where compile() was called
  bool fullgraph = false;  // a value read inside the function is an error, not a graph break
  // Programs for different arguments; what happens beyond.
  int recompile_limit = 8;
  LimitPolicy limit_policy = LimitPolicy::evict;
  // For debugging: every call is recorded as well, and throws Error where a replay would have done something else.
  bool check_replays = false;
};

// What calls of compiled functions do, on this thread, while a StanceScope lives.
enum class Stance : std::uint8_t {
  standard,
  eager,              // run the function in every call, one kernel for each operation
  fail_on_recompile,  // throw RecompileError instead of compiling
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

}  // namespace weft
