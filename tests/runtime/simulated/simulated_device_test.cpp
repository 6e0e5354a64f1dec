// The simulated device: the same code path, with times that are the same in every run.
#include <algorithm>
#include <tests/runtime/programs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::Each;

std::shared_ptr<const Executable> never(std::int64_t elements = 4) {
  Program program("never", elements);
  program.input();
  program.output();
  program.thunk("never", [](const Launch&) { ADD_FAILURE() << "a simulated device ran a thunk"; });
  return program.finish();
}

// A program that makes an output without inputs.
std::shared_ptr<const Executable> maker(std::int64_t elements) {
  Program program("maker", elements);
  program.output();
  return program.finish();
}

TEST(Simulation, RunsNoThunkAndGivesZeros) {
  SimulatedDevice device;
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(values(launch_one(device, never(), x)), Each(0));
}

TEST(Simulation, GivesZerosInMemoryThatWasUsedBefore) {
  SimulatedDevice device;
  for (const std::int64_t elements : {16, 1 << 20}) {
    auto x = floats(device, std::vector<float>(elements, 1));
    const auto* address = x->memory().device_address();
    x = nullptr;
    x = device.launch(maker(elements), {})[0];
    const auto result = values(x);
    EXPECT_EQ(std::ranges::count(result, 0.0f), elements);
    EXPECT_EQ(x->memory().device_address(), address);
  }
}

TEST(Simulation, AHostThatNeverWaitsKeepsTheDeviceBusy) {
  SimulatedDevice device({.launch_us = 100, .host_us = 20}, {.run_ahead_launches = 8});
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 100; ++i) {
    x = launch_one(device, never(), x);
    device.read(x, [](auto) {});
  }
  const auto stats = device.stats();
  EXPECT_EQ(stats.busy_ns, 100u * 100'000);
  EXPECT_EQ(stats.idle_ns, 0u);
  EXPECT_EQ(stats.peak_run_ahead, 8u);
}

TEST(Simulation, AHostThatWaitsEveryStepLeavesTheDeviceIdle) {
  SimulatedDevice device({.launch_us = 100, .host_us = 20});
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 100; ++i) {
    x = launch_one(device, never(), x);
    x->wait();
  }
  const auto stats = device.stats();
  EXPECT_EQ(stats.idle_ns, 99u * 20'000);
  EXPECT_EQ(stats.host_waits, 0u);
  EXPECT_EQ(stats.peak_run_ahead, 1u);
}

TEST(Simulation, TheHostWaitsOnlyForTheBoundOfLaunches) {
  SimulatedDevice device({.launch_us = 100}, {.run_ahead_launches = 8});
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 100; ++i) x = launch_one(device, never(), x);
  EXPECT_EQ(device.stats().host_waits, 92u);
  EXPECT_EQ(device.stats().peak_run_ahead, 8u);
}

TEST(Simulation, TheHostWaitsForTheBoundOfBytes) {
  SimulatedDevice device({.launch_us = 100}, {.run_ahead_launches = 8, .run_ahead_bytes = 3 * 16});
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 100; ++i) x = launch_one(device, never(), x);
  EXPECT_EQ(device.stats().host_waits, 97u);
  EXPECT_EQ(device.stats().peak_run_ahead, 3u);
}

TEST(Simulation, SynchronizeIsAWait) {
  SimulatedDevice device({.launch_us = 100, .host_us = 20});
  auto x = floats(device, {1, 2, 3, 4});
  for (int i = 0; i < 10; ++i) {
    x = launch_one(device, never(), x);
    if (i % 2) device.synchronize();
  }
  EXPECT_EQ(device.stats().idle_ns, 4u * 20'000);
}

}  // namespace
}  // namespace weft::runtime
