// Reads: each is performed once, by whoever needs it first, and before a launch that overwrites what it reads.
#include <weft/runtime/read.h>

#include <atomic>
#include <chrono>
#include <tests/runtime/programs.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/trace.h>
#include <weft/runtime/device.h>

namespace weft::runtime {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Read, ComesBetweenTheLaunchesAroundThem) {
  CpuDevice device;
  const auto gate = promised();
  const auto x = launch_one(device, adder(1), gate);
  std::vector<float> before, after;
  auto read_before = device.read(x, [&](std::span<const std::byte> bytes) { before = values(bytes); });
  const auto y = launch_one(device, updater(100), x);  // overwrites the bytes of x
  auto read_after = device.read(y, [&](std::span<const std::byte> bytes) { after = values(bytes); });
  fulfil(device, gate, 0);
  read_before->wait();
  read_after->wait();
  EXPECT_THAT(before, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(after, ElementsAre(101, 101, 101, 101));
}

TEST(Read, IsDoneWhoeverAsksAndWhateverOverwrites) {
  constexpr int steps = 300;
  CpuDevice device({.run_ahead_launches = 4});
  const auto program = updater(1);
  auto x = floats(device, {0, 0, 0, 0});
  std::vector<ReadPtr> reads;
  std::vector<float> waited_for(steps), left_alone(steps);
  std::atomic<int> asked = 0;
  std::thread reader([&] {
    for (int i = 0; i < steps; ++i) {
      while (asked.load() <= i) std::this_thread::yield();
      if (i % 3 == 0) reads[i]->wait();
    }
  });
  reads.reserve(steps);
  for (int i = 0; i < steps; ++i) {
    x = launch_one(device, program, x);
    const auto keep_in = [i](float& to) {
      return [&to, i](std::span<const std::byte> bytes) { to = values(bytes)[0] - static_cast<float>(i); };
    };
    reads.push_back(device.read(x, keep_in(waited_for[i])));
    device.read(x, keep_in(left_alone[i]));
    asked.store(i + 1);
  }
  reader.join();
  device.synchronize();
  EXPECT_THAT(waited_for, Each(1));
  EXPECT_THAT(left_alone, Each(1));
}

TEST(Read, ThatIsReadySaysSoWithoutBeingWaitedFor) {
  CpuDevice device;
  const auto gate = promised();
  const auto x = launch_one(device, adder(1), gate);
  std::vector<float> seen;
  const auto read = device.read(x, [&](std::span<const std::byte> bytes) { seen = values(bytes); });
  EXPECT_FALSE(read->ready());
  fulfil(device, gate, 1);
  while (!read->ready()) std::this_thread::yield();
  EXPECT_THAT(seen, Each(2));
  EXPECT_GE(trace::now_ns(), read->made_ns());
}

TEST(Read, IsDoneBySynchronizeWhoeverMakesTheBytes) {
  CpuDevice device;
  const auto gate = promised();
  std::vector<float> seen;
  device.read(gate, [&](std::span<const std::byte> bytes) { seen = values(bytes); });
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the main thread waits for it by then
    fulfil(device, gate, 3);
  });
  device.synchronize();
  EXPECT_THAT(seen, Each(3));
  other.join();
}

TEST(Read, MayLaunch) {
  CpuDevice device;
  BufferPtr y;
  const auto x = launch_one(device, adder(1), floats(device, {1, 2, 3, 4}));
  device.read(x, [&](auto) { y = launch_one(device, adder(1), x); })->wait();
  EXPECT_THAT(values(y), ElementsAre(3, 4, 5, 6));
}

TEST(Read, CarriesErrors) {
  CpuDevice device;
  const auto bad = launch_one(device, thrower("no luck"), floats(device, {1, 2, 3, 4}));
  bool called = false;
  auto read = device.read(bad, [&](auto) { called = true; });
  EXPECT_THAT(message_of([&] { read->wait(); }), HasSubstr("no luck"));
  EXPECT_FALSE(called);
  auto thrown = device.read(floats(device, {1}), [](auto) { throw Error("the reader's own"); });
  EXPECT_EQ(message_of([&] { thrown->wait(); }), "the reader's own");
}

}  // namespace
}  // namespace weft::runtime
