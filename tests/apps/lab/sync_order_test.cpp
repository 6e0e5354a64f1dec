// What a sync does before and after its wait for the previous execution, on a simulated device: the times are exact and
// the same in every run.
#include <apps/lab/sync_order.h>

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/record/sync.h>
#include <weft/runtime/simulated/simulated_device.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::lab {
namespace {

struct Times {
  double gap_us, step_us;  // of the device, per step
};

// Runs steps with 10 tensors and `rounds` operations on each.
Times run(SyncOrder order, int rounds, double launch_us, double item_us = 1) {
  constexpr int tensors = 10, steps = 50, warm = 10;
  const knobs::Override backend(knobs::backend, "interpreter");
  runtime::SimulatedDevice simulated({.launch_us = launch_us, .host_us = 5, .host_item_us = item_us});
  runtime::Device& before = device();
  set_device(simulated);
  const SyncOrderScope scope(order);
  runtime::DeviceStats start;
  {
    std::vector<Tensor> state;
    for (int i = 0; i < tensors; ++i) state.push_back(ones({2}));
    sync();
    for (int step = 0; step < steps; ++step) {
      if (step == warm) start = simulated.stats();
      for (int round = 0; round < rounds; ++round)
        for (Tensor& x : state) x = x + x;
      sync();
    }
  }
  const runtime::DeviceStats end = simulated.stats();
  set_device(before);
  const double gap = static_cast<double>(end.idle_ns - start.idle_ns) / 1e3 / (steps - warm);
  return {gap, gap + static_cast<double>(end.busy_ns - start.busy_ns) / 1e3 / (steps - warm)};
}

// The costs for 10 inputs, 10 results, 10 operations per round, and the inputs as nodes.
constexpr double collect_us = 20, scan_us = 10, promise_us = 10, launch_us = 5;
constexpr double nodes(int rounds) { return 10 + 10.0 * rounds; }

TEST(SyncOrder, LockAtCollectLeavesTheDeviceIdleForAllOfIt) {
  EXPECT_EQ(run(SyncOrder::lock_at_collect, 10, 1000).gap_us,
            collect_us + nodes(10) + scan_us + promise_us + launch_us);
}

TEST(SyncOrder, EarlyWalkTakesTheGraphOut) {
  EXPECT_EQ(run(SyncOrder::early_walk, 10, 1000).gap_us, scan_us + promise_us + launch_us);
  EXPECT_EQ(run(SyncOrder::early_walk, 50, 5000).gap_us, scan_us + promise_us + launch_us);
}

TEST(SyncOrder, EarlyPlaceholdersTakeTheResultsOut) {
  EXPECT_EQ(run(SyncOrder::early_placeholders, 10, 1000).gap_us, scan_us + launch_us);
}

TEST(SyncOrder, LogicalIdsNeverLeaveItIdle) {
  for (const int rounds : {1, 10, 50}) EXPECT_EQ(run(SyncOrder::logical_ids, rounds, 1000).gap_us, 0) << rounds;
}

TEST(SyncOrder, AStepTakesTheLongerOfHostAndDevice) {
  const double host = nodes(10) + collect_us + launch_us;  // record, collect, launch
  for (const double device_us : {10.0, 100.0, host, 200.0, 1000.0})
    EXPECT_DOUBLE_EQ(run(SyncOrder::logical_ids, 10, device_us).step_us, std::max(host, device_us)) << device_us;
}

// Returns the idle time of a device in 50 steps whose loss is read by `read`.
double gap_with_reads(const std::function<void(const Tensor&)>& read) {
  const knobs::Override backend(knobs::backend, "interpreter");
  runtime::SimulatedDevice simulated({.launch_us = 1000, .host_us = 5, .host_item_us = 1});
  runtime::Device& before = device();
  set_device(simulated);
  {
    Tensor x = ones({2}), loss;
    for (int step = 0; step < 50; ++step) {
      x = x + x;
      loss = x[0];
      sync();
      read(loss);
    }
  }
  const double idle_ns = simulated.stats().idle_ns;
  set_device(before);
  return idle_ns / 1e3;
}

TEST(SyncOrder, LoggingALossInEveryStepDrainsNothing) {
  std::vector<Future<double>> losses;
  EXPECT_EQ(gap_with_reads([&](const Tensor& loss) { losses.push_back(loss.item_async()); }), 0);
  EXPECT_EQ(losses.back().get(), 0) << "what a simulated device makes";
  EXPECT_GT(gap_with_reads([](const Tensor& loss) { loss.item(); }), 0);
}

TEST(SyncOrder, ChangesNoResult) {
  std::vector<std::vector<float>> results;
  for (const auto order :
       {SyncOrder::logical_ids, SyncOrder::lock_at_collect, SyncOrder::early_walk, SyncOrder::early_placeholders}) {
    const SyncOrderScope scope(order);
    Tensor x = tensor({1.f, 2.f, 3.f}), y = x;
    for (int step = 0; step < 6; ++step) {
      x = x * 1.5f + y;
      if (step == 3) y = x;  // x and y share a buffer
      sync();
    }
    results.push_back(x.to_vector<float>());
    EXPECT_EQ(results.back(), results.front());
  }
}

}  // namespace
}  // namespace weft::lab
