// A diagnostic is an event that reports avoidable cost in time or memory, with its place, reason, cost and remedy. Its kinds
// include recompiles, graph breaks, host fallbacks, gaps on the device and starved inputs. The code that detects one reports it
// once; users see it as a line in the log channel of its kind, as a metrics counter such as "diagnostic::recompile", and
// through sinks, such as the hints of WEFT_DEBUG=1 and the recording of a profile. A report that nobody listens to costs one
// count. Thread-safe.
//   WEFT_DIAGNOSE(recompile, .subject = name, .place = place, .reason = reason, .cost_ms = ms);
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/log.h>

namespace weft::diagnostics {

// KIND(name, log channel, description, remedy for events that name none)
#define WEFT_DIAGNOSTIC_KINDS(KIND)                                                                                   \
  KIND(compile_too_frequent, perf_hints, "compiles in most steps",                                                    \
       "keep shapes and structure the same from step to step: pad or bucket inputs, hold the same results")           \
  KIND(slow_compile, perf_hints, "a compile that took long",                                                          \
       "keep the cache on disk on (WEFT_CACHE); compile repeated layers once")                                        \
  KIND(cache_store, warnings, "a store of compiled kernels that is not used",                                         \
       "check the store and the variable WEFT_CACHE_URL, or leave the variable unset")                                \
  KIND(recompile, recompiles, "a program compiled again for something that changed",                                  \
       "make what changed an input, or keep it constant")                                                             \
  KIND(graph_break, graph_breaks, "a function that is cut into programs", "do not read values on the host within it") \
  KIND(no_replay, perf_hints, "a function that every call records again",                                             \
       "let it depend only on its arguments and parameters, and return what it makes")                                \
  KIND(stale_capture, perf_hints, "a compiled function that keeps a value of the host which has changed",             \
       "pass it as an argument, or hold it in a Scalar, Flag or Parameter")                                           \
  KIND(transfer_too_frequent, perf_hints, "reads that make the host wait in most steps",                              \
       "read with item_async(), and less often")                                                                      \
  KIND(host_bound, perf_hints, "the host records slower than the device computes",                                    \
       "compile the step (weft::compile), so that known steps are replayed")                                          \
  KIND(device_gap, perf_hints, "the device idles between executions",                                                 \
       "launch the next step before reading results of this one")                                                     \
  KIND(starved_input, perf_hints, "the step waits for its data", "more loader workers, or more batches ahead")        \
  KIND(host_fallback, perf_hints, "an operation without a kernel", "express it with operations that have kernels")    \
  KIND(graph_growth, perf_hints, "the recording grows from step to step",                                             \
       "sync() once a step; do not keep old results that need it")                                                    \
  KIND(cache_thrash, recompiles, "compiled programs are evicted and compiled again",                                  \
       "raise WEFT_GRAPH_CACHE_ENTRIES, or have fewer different shapes")                                              \
  KIND(missed_donation, perf_hints, "bytes copied because something still holds an old value",                        \
       "release old parameter and state tensors before the next step")                                                \
  KIND(repeated_upload, perf_hints, "an array of the host that is copied to the device in every call",                \
       "put it on the device once (jax.device_put), and pass that")                                                   \
  KIND(slow_setting, perf_hints, "a setting that slows the program down", "leave the variable unset")                 \
  KIND(contention, perf_hints, "threads wait for a CPU that others use",                                              \
       "run it alone, or on CPUs of its own (taskset)")                                                               \
  KIND(stolen_cpu, perf_hints, "the hypervisor runs other machines on these CPUs",                                    \
       "use a machine with CPUs of its own")                                                                          \
  KIND(first_run, perf_hints, "programs that run for the first time in the middle of training",                       \
       "run every program and every shape once before it matters")                                                    \
  KIND(checkpoint, perf_hints, "the device waits while a checkpoint is read or written",                              \
       "save less often (--save-every)")                                                                              \
  KIND(validation, perf_hints, "steps wait for validation", "validate less often (--val-every), or on fewer batches") \
  KIND(hashing, perf_hints, "the device waits while files are hashed", "hash files before training begins, and once") \
  KIND(exposed_communication, perf_hints, "devices wait for collectives",                                             \
       "weft explain --last --collectives tells what would remove each of them")                                      \
  KIND(straggler, perf_hints, "a process for which the others wait",                                                  \
       "give all processes the same work and as many CPUs; see what that one does: weft doctor FOLDER/rank-N")        \
  KIND(replicated_state, perf_hints, "every device keeps a copy of state that could be divided",                      \
       "divide the optimizer's state (ZeRO-1): shard(optimizer, zero::over(\"data\"), mesh), or --zero 1")

enum class Kind : std::uint8_t {
#define WEFT_DIAGNOSTIC_KIND(name, channel, what, remedy) name,
  WEFT_DIAGNOSTIC_KINDS(WEFT_DIAGNOSTIC_KIND)
#undef WEFT_DIAGNOSTIC_KIND
};

constexpr logging::Channel channel(Kind kind) {
  constexpr logging::Channel channels[] = {
#define WEFT_DIAGNOSTIC_CHANNEL(name, channel, what, remedy) logging::Channel::channel,
      WEFT_DIAGNOSTIC_KINDS(WEFT_DIAGNOSTIC_CHANNEL)
#undef WEFT_DIAGNOSTIC_CHANNEL
  };
  return channels[static_cast<std::size_t>(kind)];
}

std::string_view name(Kind kind);
std::string_view description(Kind kind);
std::string_view usual_remedy(Kind kind);
std::vector<Kind> kinds();

struct Event {
  Kind kind = Kind::recompile;
  std::string subject = {};  // function, program or op
  std::string place = {};    // user file:line, module path
  std::string reason = {};   // what happened, with the numbers
  std::string remedy = {};   // empty: the usual remedy of the kind
  double cost_ms = 0;        // the total, as measured
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;
  std::uint64_t time_ns = 0;  // of the steady clock; 0: now
};

// "train_step: compiled again at main.cpp:12: ... (12.5 ms); remedy: ..."
std::string to_string(const Event& event);

// Passes every event to a function for the lifetime of this object. The function is called on the reporting thread, one event
// at a time; it must not report events itself.
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
// Returns whether a sink receives events; for libraries that hide their symbols, such as JAX's plugin, and so have `sinks` of their own.
bool any_sinks();
// Return whether a sink receives events, and whether a sink or the log channel of this kind does.
inline bool has_sinks() { return detail::sinks.load(std::memory_order_relaxed) != 0; }
inline bool enabled(Kind kind) { return has_sinks() || logging::enabled(channel(kind)); }
// Adds to the kind's counter among the metrics.
void count(Kind kind);
// Logs the event and passes it to the sinks.
void report(Event event);

}  // namespace weft::diagnostics

// Counts the event, and builds and reports it only if a sink or the log receives it.
#define WEFT_DIAGNOSE(kind_, ...)                                                           \
  do {                                                                                      \
    ::weft::diagnostics::count(::weft::diagnostics::Kind::kind_);                           \
    if (::weft::diagnostics::enabled(::weft::diagnostics::Kind::kind_)) [[unlikely]]        \
      ::weft::diagnostics::report({.kind = ::weft::diagnostics::Kind::kind_, __VA_ARGS__}); \
  } while (false)
