// Knobs: the settings that a user makes through the environment. Each is one row of the table below; `weft knobs` prints it. A
// knob is read at its first use from its variable, WEFT_ followed by its name in capitals; a value that does not parse throws
// Error. Thread-safe.
//   const auto threads = knobs::num_threads();
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::knobs {

using Switch = bool;  // 0 or 1
using Integer =
    std::int64_t;  // not negative; K, M and G after the digits (or k, m and g) multiply by 2^10, 2^20 and 2^30
using Real = double;
using Text = std::string;

#ifdef NDEBUG
inline constexpr bool checked_build = false;
#else
inline constexpr bool checked_build = true;
#endif

// KNOB(name, type, default, help)
#define WEFT_KNOBS(KNOB)                                                                                              \
  KNOB(logs, Text, "", "channels to log, separated by commas; all: every one (base/log.h lists them)")                \
  KNOB(log_json, Switch, false, "log lines as JSON objects: time, channel, message")                                  \
  KNOB(num_threads, Integer, 0, "threads that run kernels; 0: as many as CPUs this process may use")                  \
  KNOB(device, Text, "cpu", "where programs run: cpu, cuda (the first NVIDIA GPU), or cuda:N")                        \
  KNOB(devices, Integer, 1, "devices that JAX sees: logical ones, which share the CPUs")                              \
  KNOB(share_cpus, Switch, true, "fewer threads run kernels while other programs keep CPUs busy")                     \
  KNOB(run_ahead_launches, Integer, 8, "launches the host may be ahead of the device before it waits")                \
  KNOB(run_ahead_bytes, Integer, Integer{4} << 30, "bytes that launches ahead of the device may hold")                \
  KNOB(memory_bytes, Integer, 0, "memory that tensors may take; 0: what the machine has left")                        \
  KNOB(backend, Text, "compiled",                                                                                     \
       "what runs recorded graphs: compiled; for debugging, eager (no fusion) or interpreter")                        \
  KNOB(strict, Switch, false, "the same bits for any number of threads and for fused and unfused kernels; slower")    \
  KNOB(fuse, Switch, true, "several operations in one kernel")                                                        \
  KNOB(overlap, Switch, true, "on a mesh, collectives run beside computation")                                        \
  KNOB(buckets, Text, "chosen", "how collectives are joined: chosen (where that ends them earliest), one or none")    \
  KNOB(link, Text, "",                                                                                                \
       "a link that collectives wait for, for measurements: latency_us=50,gb_s=1; empty: devices share the memory")   \
  KNOB(dump, Text, "", "folder to write graphs after each pass and the code of kernels into; empty: none")            \
  KNOB(disabled_passes, Text, "", "passes of the compiler to leave out, by name, separated by commas")                \
  KNOB(verify_passes, Switch, checked_build, "check the graph after every pass")                                      \
  KNOB(graph_cache_entries, Integer, 1024, "compiled programs kept in memory; the least recently used leaves first")  \
  KNOB(graph_cache_bytes, Integer, Integer{1} << 30, "memory of compiled programs: constants, code, launch data")     \
  KNOB(kernel_cache_bytes, Integer, Integer{1} << 28,                                                                 \
       "memory that the code of kernels may take; the least recently used leaves first")                              \
  KNOB(cache, Switch, true, "keep the code of kernels on disk, for later processes")                                  \
  KNOB(cache_dir, Text, "", "folder of the kernels on disk; empty: weft in $XDG_CACHE_HOME, or in ~/.cache")          \
  KNOB(cache_bytes, Integer, Integer{1} << 30, "bytes of the kernels on disk; the least recently used leaves first")  \
  KNOB(cache_url, Text, "",                                                                                           \
       "store through which machines share kernels, s3://BUCKET/PREFIX; the AWS_ variables of other tools apply")     \
  KNOB(key_file, Text, "", "the private key that signs exported kernels; empty: weft/key in ~/.config")               \
  KNOB(trusted_keys, Text, "", "public keys, separated by commas, whose exported kernels are taken beside one's own") \
  KNOB(synchronous, Switch, false, "launch returns when the work is done, for debugging")                             \
  KNOB(debug_nans, Switch, false,                                                                                     \
       "look for NaN and infinity in every result and name the operation that made the first; for debugging")         \
  KNOB(graph_growth_nodes, Integer, 50000,                                                                            \
       "nodes recorded without a sync from which a loop is taken for one that forgot it; 0: never")                   \
  KNOB(profile, Switch, false, "print where the time of the device went, thunk by thunk, when the process ends")      \
  KNOB(debug, Switch, false,                                                                                          \
       "print hints: what costs time or memory in the steps of late, where, why, and the remedy")                     \
  KNOB(join_ranks, Switch, true,                                                                                      \
       "processes that mpirun started together share the devices of a mesh; 0: each computes by itself")              \
  KNOB(rank_deadline_s, Real, 300, "seconds that a process waits for another one in a collective before it gives up") \
  KNOB(huge_pages, Switch, true, "ask the kernel for huge pages behind large blocks of memory")                       \
  KNOB(lapack, Text, "", "the LAPACK library; empty: OpenBLAS or the reference library, where the loader finds one")  \
  KNOB(cuda_driver, Text, "libcuda.so.1", "the library of the NVIDIA driver; empty: GPUs are not used")               \
  KNOB(cuda_graphs, Integer, 16, "launches of small kernels that each GPU keeps as graphs; 0: none")                  \
  KNOB(cuda_libraries, Text, "", "folder where NVIDIA's libraries are looked for first, such as libcublasLt.so.13")

template <class T>
class Knob {
 public:
  constexpr Knob(const char* name, T (*make_default)(), const char* help)
      : name_(name), make_default_(make_default), help_(help) {}
  Knob(const Knob&) = delete;
  Knob& operator=(const Knob&) = delete;

  T operator()() const {
    const T* value = value_.load(std::memory_order_acquire);
    return value ? *value : *read();
  }

  const char* name() const { return name_; }
  const char* help() const { return help_; }
  T default_value() const { return make_default_(); }

 private:
  template <class>
  friend class Override;
  const T* read() const;          // reads the environment, once
  static const T* keep(T value);  // keeps the value for the life of the process, since another thread may be reading it
  const T* exchange(const T* value) { return value_.exchange(value, std::memory_order_acq_rel); }

  const char* name_;
  T (*make_default_)();
  const char* help_;
  mutable std::atomic<const T*> value_ = nullptr;
};

#define WEFT_DECLARE_KNOB(name, type, default_value, help) \
  inline constinit Knob<type> name(#name, [] { return type(default_value); }, help);
WEFT_KNOBS(WEFT_DECLARE_KNOB)
#undef WEFT_DECLARE_KNOB

// Gives a knob another value until the end of a scope: knobs::Override one(knobs::num_threads, 1). Overrides of one knob must
// end in the reverse order of their construction.
template <class T>
class Override {
 public:
  template <class V>
  Override(Knob<T>& knob, V&& value) : knob_(knob), before_(knob.exchange(Knob<T>::keep(T(std::forward<V>(value))))) {}
  ~Override() { knob_.exchange(before_); }
  Override(const Override&) = delete;
  Override& operator=(const Override&) = delete;

 private:
  Knob<T>& knob_;
  const T* before_;
};

// One row of the table, as text.
struct Row {
  std::string name, variable, type, default_value, value, help;
};
std::vector<Row> table();

// Reads every knob. Throws Error for the first variable whose value does not parse, also if this process would not use it.
void check();

// Returns the environment variables that start with WEFT_ but belong to no knob: they are probably misspelled.
std::vector<std::string> unknown_variables();

}  // namespace weft::knobs
