// Hints: every step, the figures of the steps of late are judged; what costs time is reported as a diagnostic. Each hint comes once,
// and again only when it became twice as bad. WEFT_DEBUG=1 prints them.
#pragma once

#include <atomic>
#include <vector>

#include <weft/base/diagnostics.h>

namespace weft::profile {

// What happened in some steps.
struct Window {
  double steps = 0, wall_ms = 0, busy_ms = 0;
  double idle_ms = 0;  // of the device, without compiling and waiting for data
  double host_ms = 0;  // of the host, recording and launching; 0: not known
  double compiles = 0, compile_ms = 0, longest_compile_ms = 0;
  double reads = 0, host_wait_ms = 0, input_wait_ms = 0;
  double evictions = 0;            // of compiled programs
  std::vector<double> nodes = {};  // recorded for each step; empty: not known
};

// What of it is worth a hint, each with its cost in all.
std::vector<diagnostics::Event> judge(const Window& window);

namespace detail {
enum class Hints : std::uint8_t { unread, off, on };
inline constinit std::atomic<Hints> hints = Hints::unread;
void judge_step(double nodes);
}  // namespace detail

// A step was launched, with so many nodes recorded for it. Costs one load when hints are off.
inline void step_done(double nodes) {
  if (detail::hints.load(std::memory_order_relaxed) != detail::Hints::off) [[unlikely]]
    detail::judge_step(nodes);
}

}  // namespace weft::profile
