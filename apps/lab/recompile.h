// Measures training with a branch that depends on a value, followed by an evaluation whose report grows with every batch. These
// are the patterns that PyTorch/XLA's "Performance debugging, part II" found slow; each is measured before and after weft's
// remedies, with the hints that lead to them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::lab {

struct RecompileOptions {
  std::int64_t train_steps = 1000, eval_steps = 2000;
};

struct RecompileReport {
  struct Loop {
    double steps_per_s = 0;
    std::uint64_t compiles = 0;
  };
  Loop train_before, train_after, eval_before, eval_after;
  std::vector<std::string> hints;  // the hints for the loops before the remedies
};

// Called after every step of every loop, and when a loop starts (with 0 steps).
using LoopObserver = std::function<void(const std::string& loop, std::int64_t steps, std::int64_t of)>;

RecompileReport measure_recompile(const RecompileOptions& options, const LoopObserver& observer = {});

// Returns a description such as "2.5 x faster", "1.3 x slower" or "as fast".
std::string change_of_speed(double before, double after);

}  // namespace weft::lab
