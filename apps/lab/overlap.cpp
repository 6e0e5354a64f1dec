#include <apps/lab/overlap.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>

#include <apps/lab/models.h>
#include <apps/lab/sync_order.h>
#include <weft/base/knobs.h>
#include <weft/record/sync.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/cuda/cuda_device.h>
#include <weft/runtime/devices.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;

// The host costs that the simulated device declares: the time of recording, walking and binding on an ordinary machine.
constexpr double simulated_item_us = 0.1, simulated_launch_us = 10;
constexpr int warm_up = 3;

double us_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::micro>(to - from).count();
}

// Computes the percentile by the nearest-rank method.
double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t rank = std::ceil(percent / 100 * values.size());
  return values[std::max<std::size_t>(rank, 1) - 1];
}

// Returns the number of the GPU that is measured, if it is one.
std::optional<int> gpu_of(double simulate_us) {
  return simulate_us > 0 ? std::nullopt : runtime::parse_device(knobs::device());
}

// Makes a separate device the current one of this thread during its lifetime.
class Stage {
 public:
  explicit Stage(double simulate_us)
      : device_(make(simulate_us)), before_(device()), backend_(knobs::backend, backend(simulate_us)) {
    set_device(*device_);
  }
  ~Stage() { set_device(before_); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  static std::unique_ptr<runtime::Device> make(double simulate_us) {
    const auto options = runtime::DeviceOptions::from_knobs();
    if (const auto ordinal = gpu_of(simulate_us)) {
      auto gpu = std::make_unique<runtime::CudaDevice>(*ordinal, options);
      gpu->set_profiling(true);  // so that its own clock measures the gaps
      return gpu;
    }
    if (simulate_us <= 0) return std::make_unique<runtime::CpuDevice>(options);
    const runtime::Simulation simulation{
        .launch_us = simulate_us, .host_us = simulated_launch_us, .host_item_us = simulated_item_us};
    return std::make_unique<runtime::SimulatedDevice>(simulation, options);
  }
  // A simulated device does not execute programs, so compiling them is skipped.
  static std::string backend(double simulate_us) { return simulate_us > 0 ? "interpreter" : knobs::backend(); }

  std::unique_ptr<runtime::Device> device_;
  runtime::Device& before_;
  knobs::Override<knobs::Text> backend_;
};

struct Measured {
  std::vector<double> gaps_us, record_us, sync_us, wait_us;
  double step_us = 0, device_us = 0, host_us = 0;  // means
  std::uint64_t nodes = 0;
};

// Times single steps; on a simulated device, the clock includes the simulated host costs.
class StepTimer {
 public:
  explicit StepTimer(SyncOrder order) : order_(order) {}
  Measured run(const TrainingStep& step, std::int64_t steps) {
    std::deque<Future<double>> losses;  // read later, as a progress bar would do
    for (int i = 0; i < warm_up; ++i) one(step, losses);
    device().synchronize();
    measured_ = {};
    host_us_ = 0;
    const runtime::DeviceStats before = device().stats();
    for (std::int64_t i = 0; i < steps; ++i) one(step, losses);
    device().synchronize();
    const runtime::DeviceStats after = device().stats();

    const double count = steps;
    const std::vector<std::uint64_t> gaps = device().recent_gaps_ns();
    // Ignores the first gap, which follows a pause.
    const std::size_t wanted = std::min(gaps.size(), static_cast<std::size_t>(std::max<std::int64_t>(steps - 1, 1)));
    for (std::size_t i = gaps.size() - wanted; i < gaps.size(); ++i) measured_.gaps_us.push_back(gaps[i] / 1e3);
    measured_.device_us = (after.busy_ns - before.busy_ns) / 1e3 / count;
    measured_.host_us = host_us_ / count;
    measured_.step_us = measured_.device_us + std::accumulate(measured_.gaps_us.begin(), measured_.gaps_us.end(), 0.0) /
                                                  measured_.gaps_us.size();
    measured_.nodes = last_sync().nodes;
    return measured_;
  }

 private:
  static bool simulated(const runtime::DeviceStats& stats) { return stats.host_ns > 0; }

  void one(const TrainingStep& step, std::deque<Future<double>>& losses) {
    const runtime::DeviceStats before = device().stats();
    const double order_waited = order_.waited_us();
    const auto start = Clock::now();
    Tensor loss = step();
    const auto recorded = Clock::now();
    sync();
    const SyncStats stats = last_sync();
    losses.push_back(loss.item_async());
    while (losses.front().ready()) {
      (void)losses.front().get();
      losses.pop_front();
      if (losses.empty()) break;
    }
    double record_us = us_between(start, recorded), wait_us = stats.wait_us + order_.waited_us() - order_waited,
           sync_us = stats.host_us - wait_us;
    if (const runtime::DeviceStats after = device().stats(); simulated(after)) {
      record_us = stats.nodes * simulated_item_us;
      wait_us = (after.host_wait_ns - before.host_wait_ns) / 1e3;
      sync_us = (after.host_ns - before.host_ns) / 1e3 - wait_us - record_us;
    }
    measured_.record_us.push_back(record_us);
    measured_.sync_us.push_back(sync_us);
    measured_.wait_us.push_back(wait_us);
    host_us_ += record_us + sync_us;
  }

  SyncOrderScope order_;
  Measured measured_;
  double host_us_ = 0;
};

Measured measure(const TrainingStep& step, std::int64_t steps, SyncOrder order) {
  return StepTimer(order).run(step, steps);
}

constexpr std::pair<const char*, SyncOrder> bars[] = {{"lock-at-collect", SyncOrder::lock_at_collect},
                                                      {"early-walk", SyncOrder::early_walk},
                                                      {"early-placeholders", SyncOrder::early_placeholders},
                                                      {"logical-ids", SyncOrder::logical_ids}};

// Measures a chain of `nodes` operations on as many tensors as a model has parameters, and a product that keeps the device busy
// for longer than the host. (If the device waited for a slow host, the gap would be of another kind.) The device's work is the
// same for every number of nodes, because the cache contents after a launch influence how long the next one takes to start. A
// simulated device gets work for as long as the host needs.
OverlapReport::Gap gap_of_chain(std::uint64_t nodes, const OverlapOptions& options) {
  constexpr std::uint64_t tensors = 300;
  constexpr std::int64_t product_size = 1536;
  const double host_us = (nodes + 4 * tensors) * simulated_item_us + simulated_launch_us;
  const Stage stage(options.simulate_us > 0 ? std::max(options.simulate_us, host_us) : 0);
  std::vector<Tensor> state;
  for (std::uint64_t i = 0; i < tensors; ++i) state.push_back(ones({8}));
  const Tensor large = ones({product_size, product_size});
  sync();
  const TrainingStep step = [&] {
    for (std::uint64_t i = 0; i + tensors < nodes; ++i) {
      Tensor& x = state[i % tensors];
      x = x * x;
    }
    return mean(state[0]) + mean(matmul(large, large));
  };
  const Measured measured = measure(step, options.steps, SyncOrder::logical_ids);
  return {measured.nodes, percentile(measured.gaps_us, 50)};
}

}  // namespace

OverlapReport measure_overlap(const OverlapOptions& options) {
  const knobs::Override<knobs::Integer> threads(knobs::num_threads, options.device_threads);
  OverlapReport report;
  {
    const Stage stage(options.simulate_us);
    const Workload workload = make_workload(options.model, options.width, options.batch, options.tokens);
    report.workload = workload.description;
    for (const auto& [name, order] : bars) {
      const Measured measured = measure(workload.step, options.steps, order);
      report.nodes = measured.nodes;
      report.bars.push_back({.name = name,
                             .gap_us_p50 = percentile(measured.gaps_us, 50),
                             .gap_us_p99 = percentile(measured.gaps_us, 99),
                             .record_us = percentile(measured.record_us, 50),
                             .sync_us = percentile(measured.sync_us, 50),
                             .wait_us = percentile(measured.wait_us, 50),
                             .steps_per_s = 1e6 / measured.step_us});
      if (order != SyncOrder::logical_ids) continue;
      report.host_us = measured.host_us;
      report.device_us = measured.device_us;
      report.steady_state_over_max_host_device = measured.step_us / std::max(measured.host_us, measured.device_us);
    }
  }
  // Such a chain keeps a GPU busy for far less time than the host, so that its gaps would be those of a slow host.
  if (gpu_of(options.simulate_us)) return report;
  for (const std::uint64_t nodes : {1000, 10'000, 100'000}) report.gap_by_nodes.push_back(gap_of_chain(nodes, options));
  return report;
}

}  // namespace weft::lab
