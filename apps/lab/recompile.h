// Training with a branch that depends on a value, then an evaluation whose report grows with every batch: what PyTorch/XLA's
// "Performance debugging, part II" found slow, before and after weft's remedies, with the hints that lead there.
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
  std::vector<std::string> hints;  // of the loops before
};

// Told of every step of every loop, and when one begins: of 0 steps.
using LoopObserver = std::function<void(const std::string& loop, std::int64_t steps, std::int64_t of)>;

RecompileReport measure_recompile(const RecompileOptions& options, const LoopObserver& observer = {});

// Says how a rate changed: "2.5 x faster", "1.3 x slower", "as fast".
std::string change_of_speed(double before, double after);

}  // namespace weft::lab
