// Diagnostics: what cost time or memory and need not, each an event with its place, reason, cost and remedy. A recompile, a graph
// break, a host fallback, a gap on the device, a starved input are kinds of this one thing. Whoever finds one reports it; sinks see
// all of them: the hints of WEFT_DEBUG=1, a profile's recording. Without a sink a report costs one load. Thread-safe.
//   WEFT_DIAGNOSE({.kind = diagnostics::Kind::recompile, .subject = name, .place = place, .reason = reason, .cost_ms = ms});
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::diagnostics {

// KIND(name, what it is, remedy where an event names none)
#define WEFT_DIAGNOSTIC_KINDS(KIND)                                                                                    \
  KIND(compile_too_frequent, "compiles in most steps",                                                                 \
       "keep shapes and structure the same from step to step: pad or bucket inputs, hold the same results")            \
  KIND(slow_compile, "a compile that took long",                                                                       \
       "keep the cache on disk on (WEFT_CACHE); compile repeated layers once")                                         \
  KIND(recompile, "a program compiled again for something that changed",                                               \
       "make what changed an input, or keep it constant")                                                              \
  KIND(graph_break, "a function that is not one program", "do not read values on the host within it")                  \
  KIND(transfer_too_frequent, "reads that make the host wait in most steps", "read with item_async(), and less often") \
  KIND(host_bound, "the host records slower than the device computes",                                                 \
       "compile the step (weft::compile), so that known steps are replayed")                                           \
  KIND(device_gap, "the device idles between executions", "launch the next step before reading results of this one")   \
  KIND(starved_input, "the step waits for its data", "more loader workers, or more batches ahead")                     \
  KIND(host_fallback, "an operation without a kernel", "express it with operations that have kernels")                 \
  KIND(graph_growth, "the recording grows from step to step", "sync() once a step; do not let results hang on to it")  \
  KIND(cache_thrash, "compiled programs are forgotten and compiled again",                                             \
       "raise WEFT_GRAPH_CACHE_ENTRIES, or have fewer different shapes")                                               \
  KIND(missed_donation, "bytes copied because something still holds an old value",                                     \
       "let go of old parameter and state tensors before the next step")                                               \
  KIND(slow_setting, "a setting that slows the program down", "leave the variable unset")                              \
  KIND(contention, "threads wait for a CPU that others use", "run it alone, or on CPUs of its own (taskset)")          \
  KIND(stolen_cpu, "the hypervisor runs other machines on these CPUs", "use a machine with CPUs of its own")           \
  KIND(first_run, "programs that run for the first time in the middle of training",                                    \
       "run every program and every shape once before it matters")                                                     \
  KIND(checkpoint, "the device waits while a checkpoint is read or written", "save less often (--save-every)")         \
  KIND(validation, "steps wait for validation", "validate less often (--val-every), or on fewer batches")              \
  KIND(hashing, "the device waits while files are hashed", "hash files before training begins, and once")

enum class Kind : std::uint8_t {
#define WEFT_DIAGNOSTIC_KIND(name, what, remedy) name,
  WEFT_DIAGNOSTIC_KINDS(WEFT_DIAGNOSTIC_KIND)
#undef WEFT_DIAGNOSTIC_KIND
};

std::string_view name(Kind kind);
std::string_view description(Kind kind);
std::string_view usual_remedy(Kind kind);
std::vector<Kind> kinds();

struct Event {
  Kind kind = Kind::recompile;
  std::string subject = {};  // function, program or op
  std::string place = {};    // user file:line, module path
  std::string reason = {};   // what happened, with the numbers
  std::string remedy = {};   // empty: the kind's usual one
  double cost_ms = 0;        // measured, in all
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;
  std::uint64_t time_ns = 0;  // of the steady clock; 0: now
};

// "train_step: compiled again at main.cpp:12: ... (12.5 ms); remedy: ..."
std::string to_string(const Event& event);

// Sees every event until it ends. Called on the reporting thread, one event at a time; must not report events itself.
class Sink {
 public:
  explicit Sink(std::function<void(const Event&)> see);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

 private:
  std::function<void(const Event&)> see_;
};

namespace detail {
inline constinit std::atomic<int> sinks = 0;
}
inline bool enabled() { return detail::sinks.load(std::memory_order_relaxed) != 0; }
void report(Event event);

}  // namespace weft::diagnostics

// Builds the event only where somebody sees it.
#define WEFT_DIAGNOSE(...)                                                 \
  do {                                                                     \
    if (::weft::diagnostics::enabled()) [[unlikely]]                       \
      ::weft::diagnostics::report(::weft::diagnostics::Event __VA_ARGS__); \
  } while (false)
