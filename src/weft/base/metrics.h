// Counters and metrics of this process, under the names that PyTorch/XLA uses. Each is one constant, declared below or beside
// the code that counts; reports list it after its first use. Names are unique. All values are whole numbers: nanoseconds,
// bytes, counts. Thread-safe; counting costs a few nanoseconds.
//   metrics::cached_compile.add();
//   const metrics::Timer timer(metrics::compile_time);
//   metrics::metric("CompileTime")->count; metrics::counter("MarkStep");
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
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

// A series of values: their number, their sum, and the last `window` of them, from which percentiles are computed.
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
  struct Sample {
    std::uint64_t value = 0, time_ns = 0;
  };

  const char* name_;
  Unit unit_;
  std::mutex mutex_;
  std::uint64_t count_ = 0, total_ = 0;
  std::array<Sample, window> recent_{};
};

// Adds the time between its construction and its destruction to a metric.
class Timer {
 public:
  explicit Timer(Metric& metric);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Metric& metric_;
  const std::uint64_t start_ns_;
};

inline constinit Metric compile_time("CompileTime");  // graph to executable
inline constinit Metric execute_time("ExecuteTime");  // busy time of a launch on the device
inline constinit Metric queue_time("QueueTime");      // from the acceptance of a launch to its start on the device
inline constinit Metric device_idle_time("DeviceIdleTime");               // the gaps between launches
inline constinit Metric input_wait_time("InputWaitTime");                 // the time that a step waits for a batch
inline constinit Metric host_wait_time("HostWaitTime");                   // the time that the host waits for results
inline constinit Metric transfer_to_device_time("TransferToDeviceTime");  // uploads
inline constinit Metric transfer_from_device_time("TransferFromDeviceTime");  // reads
inline constinit Metric inbound_data("InboundData", Unit::bytes);             // bytes of each read
inline constinit Metric outbound_data("OutboundData", Unit::bytes);           // bytes of each upload
inline constinit Counter cached_compile("CachedCompile");        // syncs that found their executable in the cache
inline constinit Counter uncached_compile("UncachedCompile");    // syncs that had to compile
inline constinit Counter pipeline_compiles("PipelineCompiles");  // programs that a pipeline made of a step
inline constinit Counter mark_step("MarkStep");                  // syncs and replays that launched something
inline constinit Counter run_ahead_waits("RunAheadWaits");       // launches that had to wait for the device

// Returns a counter whose name is known only at run time: "custom_call::sort_on_host". It lives as long as the process.
Counter& named_counter(std::string_view name);

struct CounterValue {
  std::string name;
  std::uint64_t value = 0;
};
// The percentiles (by nearest rank), the greatest value and the rates are of the last Metric::window values. The rates are the values
// and their sum per second, from the first of them to the last; 0 if there is only one.
struct MetricValue {
  std::string name;
  Unit unit = Unit::nanoseconds;
  std::uint64_t count = 0, total = 0;
  std::vector<std::pair<double, std::uint64_t>> percentiles;  // percent and value
  std::uint64_t greatest = 0;
  double rate = 0, value_rate = 0;
};
// All counters and metrics so far, by name.
struct Snapshot {
  std::vector<MetricValue> metrics;
  std::vector<CounterValue> counters;
};
Snapshot snapshot();

std::optional<MetricValue> metric(std::string_view name);  // nullopt if nothing was added to it
std::uint64_t counter(std::string_view name);              // 0 if it never counted

std::string report();  // the snapshot in PyTorch/XLA's form
// {"metrics": {name: {unit, count, total, max, rate, value_rate, percentiles: {"50": value}}}, "counters": {name: value}}
std::string json();
// Returns the text form that Prometheus collects: weft_compile_time_ns_count, _sum and quantiles; weft_cached_compile_total.
std::string prometheus();
void clear();  // sets everything to zero

}  // namespace weft::metrics
