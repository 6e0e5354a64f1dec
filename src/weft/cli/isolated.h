// Runs work in child processes, so that a crash, a hang or excessive memory use ends only one piece and is reported
// like any other outcome.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <weft/base/status.h>
#include <weft/cli/interrupt.h>

namespace weft::cli {

struct IsolationLimits {
  int processes = 1;                                          // at the same time
  std::chrono::milliseconds time = std::chrono::seconds(60);  // limit for one piece
  std::uint64_t bytes = std::uint64_t{4} << 30;               // memory limit for one piece
};

// The text that the piece returned, or the reason why it returned nothing: "Segmentation fault", "took more than 60 s".
using IsolatedOutcome = Result<std::string>;

// Calls `piece(i)` for each i below `pieces`, each in a process forked from this one, and `done(i, outcome)` in this
// process when a piece ends. The calling process must have only one thread, because the children would lack the others.
// Returns early if `interrupt` noted a signal; it then kills the running pieces and does not call `done` for them.
// Throws Error if no process can be created.
void run_isolated(std::size_t pieces, const IsolationLimits& limits,
                  const std::function<std::string(std::size_t)>& piece,
                  const std::function<void(std::size_t, const IsolatedOutcome&)>& done,
                  const Interrupt* interrupt = nullptr);

}  // namespace weft::cli
