// Hints: while somebody listens to diagnostics (WEFT_DEBUG=1 prints them, a profile records them) the figures of every twenty steps are
// judged; what costs time is reported as a diagnostic. Each kind of hint comes once for a program, and again only when it became twice
// as bad.
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

// What happened in some steps.
struct Window {
  double steps = 0, wall_ms = 0, busy_ms = 0;
  double idle_ms = 0;  // of the device, without compiling, waiting for data and checkpoints
  double host_ms = 0;  // of the thread that takes the steps, on its CPU, without compiling; 0: not known
  double compiles = 0, compile_ms = 0, longest_compile_ms = 0;
  double reads = 0, host_wait_ms = 0, input_wait_ms = 0;
  double evictions = 0;            // of compiled programs
  double host_op_ms = 0;           // of operations without a kernel
  std::vector<double> nodes = {};  // recorded for each step; empty: not known

  // Where: empty what is not known.
  std::string program = {}, place = {};           // that ran last, and the user's line
  bool is_compiled = false;                       // it is a function given to compile
  std::string read_place = {};                    // of the read that waited longest
  std::string host_ops = {}, host_op_place = {};  // "sort (20 times)"
};

// What of it is worth a hint, each with its cost in all.
std::vector<diagnostics::Event> judge(const Window& window);

// The counters and metrics of this process, as windows: what came between one look and the next.
class WindowMeter {
 public:
  Window take(double steps);

 private:
  struct Totals {
    std::uint64_t time_ns = 0;
    double compiles = 0, compile_ms = 0, checkpoint_ms = 0, reads = 0, wait_ms = 0, input_ms = 0, busy_ms = 0,
           idle_ms = 0, evictions = 0, host_op_ms = 0, thread_ms = 0;
    std::thread::id thread = {};
    std::map<std::string, std::uint64_t> host_ops = {};  // how often each ran
  };
  static Totals now();
  Totals before_ = now();
};

inline constexpr std::string_view sync_programs = "sync";  // how the names of those begin that sync() makes

// The first user's line among a program's ops of the category, from the last on; of any: "".
std::string place_of(const runtime::Executable& program, std::string_view category = "");

namespace detail {
void judge_step(const runtime::Executable& program, double nodes);
void note_compile(const runtime::Executable& program, double ms);
void note_read(const char* file, std::uint32_t line, std::uint64_t waited_ns);
}  // namespace detail

// Prints diagnostics from here on where WEFT_DEBUG=1 says so.
void listen();
// Hints are judged anew from here on: what was said may be said again.
void restart_hints();

// What happens; where nobody listens, each costs one load.
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
