// Counters and metrics of this process, under the names that PyTorch/XLA gave them. Each is one constant below, or beside the
// code that counts; it appears in reports from its first use on. Names are unique. Thread-safe; counting costs a few nanoseconds.
//   metrics::cached_compile.add();
//   const metrics::Timer timer(metrics::compile_time);
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace weft::metrics {

class Counter {
 public:
  constexpr explicit Counter(const char* name) : name_(name) {}
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(std::uint64_t n = 1) {
    if (!listed_.load(std::memory_order_relaxed)) [[unlikely]]
      list();
    value_.fetch_add(n, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }
  const char* name() const { return name_; }

 private:
  friend struct Registry;
  void list();

  const char* name_;
  std::atomic<std::uint64_t> value_ = 0;
  std::atomic<bool> listed_ = false;
};

enum class Unit : std::uint8_t { nanoseconds, bytes, count };

// Values over time: how many, their sum, and the last `window` of them, from which percentiles come.
class Metric {
 public:
  static constexpr std::size_t window = 1024;

  constexpr explicit Metric(const char* name, Unit unit = Unit::nanoseconds) : name_(name), unit_(unit) {}
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  void add(std::uint64_t value);
  const char* name() const { return name_; }

 private:
  friend struct Registry;
  const char* name_;
  Unit unit_;
  std::mutex mutex_;
  std::uint64_t count_ = 0, total_ = 0;
  std::array<std::uint64_t, window> recent_{};
};

// Adds the time between its making and its end to a metric.
class Timer {
 public:
  explicit Timer(Metric& metric) : metric_(metric), start_(std::chrono::steady_clock::now()) {}
  ~Timer() {
    metric_.add(
        static_cast<std::uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count()));
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Metric& metric_;
  std::chrono::steady_clock::time_point start_;
};

inline constinit Metric compile_time("CompileTime");                          // graph to executable
inline constinit Metric execute_time("ExecuteTime");                          // of a launch, on the device
inline constinit Metric transfer_to_device_time("TransferToDeviceTime");      // uploads
inline constinit Metric transfer_from_device_time("TransferFromDeviceTime");  // reads
inline constinit Metric inbound_data("InboundData", Unit::bytes);             // bytes of each read
inline constinit Metric outbound_data("OutboundData", Unit::bytes);           // bytes of each upload
inline constinit Counter cached_compile("CachedCompile");                     // syncs whose executable was there
inline constinit Counter uncached_compile("UncachedCompile");                 // syncs that had to compile
inline constinit Counter run_ahead_waits("RunAheadWaits");  // launches that had to wait for the device

struct CounterValue {
  std::string name;
  std::uint64_t value = 0;
};
struct MetricValue {
  std::string name;
  Unit unit = Unit::nanoseconds;
  std::uint64_t count = 0, total = 0;
  std::vector<std::pair<double, std::uint64_t>>
      percentiles;  // percent, value: nearest rank among the last Metric::window values
};
// What was counted so far, by name.
struct Snapshot {
  std::vector<MetricValue> metrics;
  std::vector<CounterValue> counters;
};
Snapshot snapshot();

std::string report();  // of the snapshot, in PyTorch/XLA's form
std::string json();  // {"metrics": {name: {unit, count, total, percentiles: {"50": value}}}, "counters": {name: value}}
void clear();        // all back to zero

}  // namespace weft::metrics
