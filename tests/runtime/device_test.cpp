#include <weft/runtime/device.h>

#include <algorithm>
#include <tests/runtime/programs.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>

namespace weft::runtime {
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

TEST(Device, EveryOutputHasItsOwnId) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto a = launch_one(device, adder(1), x), b = launch_one(device, adder(1), x);
  EXPECT_NE(a->id(), b->id());
  EXPECT_NE(a->id(), x->id());
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
    fulfil(device, gate, 1);  // otherwise the launch would wait forever
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

}  // namespace
}  // namespace weft::runtime
