// Hints: while somebody listens to diagnostics (WEFT_DEBUG=1 prints them, a profile records them), the figures of every twenty
// steps are judged, and what costs time is reported as a diagnostic. Each kind of hint is given once per program, and again
// only when it has become twice as bad.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <weft/base/diagnostics.h>
#include <weft/runtime/executable.h>

namespace weft::profile {

// Figures of a number of steps.
struct Window {
  double steps = 0, wall_ms = 0, busy_ms = 0;
  double idle_ms = 0;  // of the device, without compilation, waiting for data and checkpoints
  double host_ms = 0;  // CPU time of the thread that takes the steps, without compilation; 0 if unknown
  double compiles = 0, compile_ms = 0, longest_compile_ms = 0;
  double reads = 0;  // for which the host waited
  double host_wait_ms = 0, input_wait_ms = 0;
  double evictions = 0;            // of compiled programs
  double host_op_ms = 0;           // time of operations without a kernel
  std::vector<double> nodes = {};  // recorded in each step; empty if unknown

  // Places; empty where unknown.
  std::string program = {}, place = {};           // the program that ran last, and the user's line
  bool is_compiled = false;                       // the program is a function given to compile
  std::string read_place = {};                    // place of the read that waited longest
  std::string host_ops = {}, host_op_place = {};  // "sort (20 times)"
};

// Returns what is worth a hint, each with its total cost.
std::vector<diagnostics::Event> judge(const Window& window);

// Turns the counters and metrics of this process into windows: each covers the time since the previous call of take().
class WindowMeter {
 public:
  Window take(double steps);

 private:
  struct Totals {
    std::uint64_t time_ns = 0;
    double compiles = 0, compile_ms = 0, checkpoint_ms = 0, reads = 0, waits = 0, wait_ms = 0, input_ms = 0,
           busy_ms = 0, idle_ms = 0, evictions = 0, host_op_ms = 0, thread_ms = 0;
    std::thread::id thread = {};
    std::map<std::string, std::uint64_t> host_ops = {};  // how often each ran
  };
  static Totals now();
  Totals before_ = now();
};

inline constexpr std::string_view sync_programs = "sync";  // prefix of the names of programs made by sync()

// Returns the first user's line among a program's ops of the category, searching from the last op; "" matches any category.
std::string place_of(const runtime::Executable& program, std::string_view category = "");

namespace detail {
void judge_step(const runtime::Executable& program, double nodes);
void note_compile(const runtime::Executable& program, double ms);
void note_read(const char* file, std::uint32_t line, std::uint64_t waited_ns);
}  // namespace detail

// Prints diagnostics from now on if WEFT_DEBUG=1.
void listen();
// Judges from now on as if no hint had been given, so hints may repeat.
void restart_hints();

// Notes of events. If nobody listens, each costs one load.
inline void step_done(const runtime::Executable& program, double nodes) {
  if (diagnostics::has_sinks()) [[unlikely]]
    detail::judge_step(program, nodes);
}
inline void compile_done(const runtime::Executable& program, double ms) {
  if (diagnostics::has_sinks()) [[unlikely]]
    detail::note_compile(program, ms);
}
inline void read_done(const char* file, std::uint32_t line, std::uint64_t waited_ns) {
  if (diagnostics::has_sinks()) [[unlikely]]
    detail::note_read(file, line, waited_ns);
}

}  // namespace weft::profile
