// Work in child processes: a crash, a hang or a hunger for memory ends one piece and is told like any other outcome.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <weft/cli/interrupt.h>

namespace weft::cli {

struct IsolationLimits {
  int processes = 1;                                          // at once
  std::chrono::milliseconds time = std::chrono::seconds(60);  // for one piece
  std::uint64_t bytes = std::uint64_t{4} << 30;               // of memory that one may take
};

struct IsolatedOutcome {
  std::string said;    // what the piece returned
  std::string failed;  // why it returned nothing: "Segmentation fault", "took more than 60 s"; empty if it did
};

// Calls `piece(i)` for each i below `pieces`, each in a process forked from this one, and `done(i, outcome)` here as they end. The
// calling process must have one thread: the others would be missing in the children. Returns early when `interrupt` has noted a
// signal; the pieces under way are then killed, and `done` is not called for them. Throws Error when there can be no process.
void run_isolated(std::size_t pieces, const IsolationLimits& limits,
                  const std::function<std::string(std::size_t)>& piece,
                  const std::function<void(std::size_t, const IsolatedOutcome&)>& done,
                  const Interrupt* interrupt = nullptr);

}  // namespace weft::cli
