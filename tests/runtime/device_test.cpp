#include <weft/runtime/device.h>

#include <algorithm>
#include <tests/runtime/programs.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>

namespace weft::runtime::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Device, RunsAProgram) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  EXPECT_THAT(values(launch_one(device, adder(10), x)), ElementsAre(11, 12, 13, 14));
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4));
}

TEST(Device, TakesItsOwnBuffersAndThoseOfTheHost) {
  CpuDevice one, other;
  SimulatedDevice simulated;
  const auto x = floats(one, {1, 2, 3, 4}), y = launch_one(one, adder(1), x);
  EXPECT_NE(one.id(), other.id());
  EXPECT_THAT(simulated.id().text(), HasSubstr("(simulated)"));
  for (Device* const device : std::initializer_list<Device*>{&other, &simulated})
    for (const BufferPtr& buffer : {x, y}) {
      const auto names_both = ::testing::AllOf(HasSubstr(one.id().text()), HasSubstr(device->id().text()));
      EXPECT_THAT(message_of([&] { launch_one(*device, adder(1), buffer); }), names_both);
      EXPECT_THAT(message_of([&] { device->read(buffer, [](std::span<const std::byte>) {}); }), names_both);
    }
  EXPECT_THAT(values(y), ElementsAre(2, 3, 4, 5));
  const auto of_host = promised();
  fulfil(one, of_host, 5);
  for (Device* const device : {&one, &other}) EXPECT_THAT(values(launch_one(*device, adder(1), of_host)), Each(6));
}

TEST(Device, BindsEveryKindOfAllocation) {
  Program program("kinds");
  const Slice x = program.input(), seven = program.constant(7), t1 = program.temporary(), t2 = program.temporary();
  const Slice y = program.output();
  program.pass_through(x);
  program.add_scalar(t1, x, 1).add_scalar(t2, seven, 0).thunk("sum", [=](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(y)[i] = launch.at<float>(t1)[i] * launch.at<float>(t2)[i];
  });
  CpuDevice device;
  const auto input = floats(device, {1, 2, 3, 4});
  const auto outputs = device.launch(program.finish(), std::span(&input, 1));
  EXPECT_THAT(values(outputs[0]), ElementsAre(14, 21, 28, 35));
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(outputs[1]->memory() == input->memory());
}

TEST(Device, OutputsMayShareAnAllocation) {
  Program program("shared");
  const Slice x = program.input(), y = program.output();
  program.pass_through(y);
  program.add_scalar(y, x, 1);
  CpuDevice device;
  const auto input = floats(device, {1, 2, 3, 4});
  const auto outputs = device.launch(program.finish(), std::span(&input, 1));
  EXPECT_THAT(values(outputs[1]), ElementsAre(2, 3, 4, 5));
  EXPECT_TRUE(outputs[0]->memory() == outputs[1]->memory());
}

TEST(Device, LaunchReturnsBeforeItsInputsAreThere) {
  CpuDevice device;
  const auto x = promised();
  auto y = launch_one(device, adder(1), x);
  for (int i = 0; i < 5; ++i) y = launch_one(device, adder(1), y);
  EXPECT_FALSE(y->event()->ready());
  fulfil(device, x, 1);
  EXPECT_THAT(values(y), Each(7));
  EXPECT_EQ(device.stats().host_waits, 0u);
}

TEST(Device, LaunchesRunInTheirOrder) {
  CpuDevice device({.run_ahead_launches = 100});
  std::vector<std::uint64_t> order;
  const auto gate = promised();
  launch_one(device, adder(0), gate);
  for (int i = 0; i < 50; ++i) {
    Program program("note");
    program.thunk("note", [&order](const Launch& launch) { order.push_back(launch.step); });
    device.launch(program.finish(), {});
  }
  fulfil(device, gate, 0);
  device.synchronize();
  ASSERT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.front(), 1u);
}

TEST(Device, EveryOutputHasItsOwnId) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto a = launch_one(device, adder(1), x), b = launch_one(device, adder(1), x);
  EXPECT_NE(a->id(), b->id());
  EXPECT_NE(a->id(), x->id());
}

TEST(Device, WrongInputsThrowAtTheCall) {
  CpuDevice device;
  const auto x = floats(device, {1, 2});
  const BufferPtr none;
  EXPECT_EQ(message_of([&] { launch_one(device, adder(1), x); }),
            "launch: adder: input 0 is tensor<2xf32>, expected tensor<4xf32>");
  EXPECT_EQ(message_of([&] { device.launch(adder(1), {}); }), "launch: adder takes 1 inputs, got 0");
  EXPECT_EQ(message_of([&] { launch_one(device, adder(1), none); }), "launch: adder: input 0 is no buffer");
  EXPECT_EQ(message_of([&] { device.upload(x->type(), {}); }), "upload: tensor<2xf32> has 8 bytes, got 0");
  EXPECT_EQ(device.stats().launches, 0u);
}

TEST(Device, SynchronousLaunchesAreDoneWhenTheyReturn) {
  CpuDevice device({.synchronous = true});
  const auto y = launch_one(device, adder(1), floats(device, {1, 2, 3, 4}));
  EXPECT_TRUE(y->event()->ready());
  EXPECT_TRUE(launch_one(device, thrower("no"), y)->event()->ready());
}

TEST(Device, TakesItsOptionsFromTheKnobs) {
  const knobs::Override launches(knobs::run_ahead_launches, 3);
  const knobs::Override bytes(knobs::run_ahead_bytes, 1024);
  const knobs::Override synchronous(knobs::synchronous, true);
  const auto options = DeviceOptions::from_knobs();
  EXPECT_EQ(options.run_ahead_launches, 3);
  EXPECT_EQ(options.run_ahead_bytes, 1024u);
  EXPECT_TRUE(options.synchronous);
}

TEST(Device, ZeroSizedTensorsAreOrdinary) {
  CpuDevice device;
  const auto x = device.upload(Type(DType::f32, {0}), {});
  EXPECT_TRUE(values(launch_one(device, adder(1, 0), x)).empty());
}

// Run-ahead

TEST(Device, RunAheadIsBoundedByLaunches) {
  CpuDevice device({.run_ahead_launches = 3});
  const auto gate = promised();
  const auto program = adder(1);
  for (int i = 0; i < 3; ++i) launch_one(device, program, gate);
  EXPECT_EQ(device.stats().host_waits, 0u);
  std::thread host([&] { launch_one(device, program, gate); });
  while (device.stats().host_waits == 0) std::this_thread::yield();
  EXPECT_EQ(device.stats().launches, 3u);
  fulfil(device, gate, 1);
  host.join();
  device.synchronize();
  EXPECT_EQ(device.stats().launches, 4u);
  EXPECT_EQ(device.stats().peak_run_ahead, 3u);
}

TEST(Device, IsAcceptedBeforeItWaits) {
  CpuDevice device({.run_ahead_launches = 1});
  const auto gate = promised();
  const auto program = adder(1);
  launch_one(device, program, gate);
  std::vector<BufferPtr> outputs;
  BufferPtr output;
  std::vector<BufferPtr> inputs{gate};
  device.launch(program, std::move(inputs), outputs, [&] {
    output = std::move(outputs[0]);
    fulfil(device, gate, 1);  // else the launch would wait for ever
  });
  EXPECT_THAT(values(output), Each(2));
}

TEST(Device, RunAheadIsBoundedByBytes) {
  CpuDevice device({.run_ahead_launches = 100, .run_ahead_bytes = 40});
  const auto gate = promised();
  for (int i = 0; i < 2; ++i) launch_one(device, adder(1), gate);  // 16 bytes each
  std::thread host([&] { launch_one(device, adder(1), gate); });
  while (device.stats().host_waits == 0) std::this_thread::yield();
  EXPECT_EQ(device.stats().launches, 2u);
  fulfil(device, gate, 1);
  host.join();
}

TEST(Device, OneLaunchMayExceedTheBoundOfBytes) {
  CpuDevice device({.run_ahead_bytes = 1});
  EXPECT_THAT(values(launch_one(device, adder(1), floats(device, {1, 2, 3, 4}))), ElementsAre(2, 3, 4, 5));
}

// Threads

TEST(Device, ManyThreadsMayLaunch) {
  CpuDevice device({.run_ahead_launches = 4});
  constexpr int threads = 4, launches = 50;
  std::vector<BufferPtr> results(threads);
  std::vector<std::thread> hosts;
  for (int t = 0; t < threads; ++t) {
    hosts.emplace_back([&, t] {
      auto x = floats(device, {0, 0, 0, static_cast<float>(t)});
      for (int i = 0; i < launches; ++i) {
        x = launch_one(device, i % 2 ? updater(1) : adder(1), x);
        if (i % 7 == 0) device.read(x, [i](auto bytes) { EXPECT_EQ(values(bytes)[0], static_cast<float>(i + 1)); });
        if (i % 11 == 0) values(x);
      }
      results[static_cast<std::size_t>(t)] = x;
    });
  }
  for (auto& host : hosts) host.join();
  for (int t = 0; t < threads; ++t) {
    EXPECT_THAT(values(results[static_cast<std::size_t>(t)]), ElementsAre(launches, launches, launches, launches + t));
  }
  device.synchronize();
  EXPECT_EQ(device.stats().launches, static_cast<std::uint64_t>(threads * launches));
}

TEST(Device, EndsAfterWhatWasLaunched) {
  int runs = 0;
  {
    CpuDevice device({.run_ahead_launches = 100});
    for (int i = 0; i < 20; ++i) {
      Program program("count");
      program.thunk("count", [&runs](const Launch&) { ++runs; });
      device.launch(program.finish(), {});
    }
  }
  EXPECT_EQ(runs, 20);
}

TEST(Device, BuffersOutliveTheirDevice) {
  BufferPtr y;
  {
    CpuDevice device;
    y = launch_one(device, adder(1), floats(device, {1, 2, 3, 4}));
  }
  EXPECT_THAT(values(y), ElementsAre(2, 3, 4, 5));
}

}  // namespace
}  // namespace weft::runtime::testing
