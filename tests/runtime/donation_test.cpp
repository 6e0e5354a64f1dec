// A donated input gives its memory to an output, unless something else can still reach it.
#include <algorithm>
#include <tests/runtime/programs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;

TEST(Donation, MovesTheMemory) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto* before = x->memory().device_address();
  const auto y = launch_one(device, updater(1), x);
  EXPECT_THAT(values(y), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(y->memory().device_address(), before);
  EXPECT_FALSE(x->memory());
  EXPECT_EQ(device.stats().donation_copies, 0u);
}

TEST(Donation, OfAHeldBufferCopies) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  x->add_holder();
  const auto y = launch_one(device, updater(1), x);
  EXPECT_THAT(values(y), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(device.stats().donation_copies, 1u);
  x->remove_holder();
  launch_one(device, updater(1), x)->wait();
  EXPECT_EQ(device.stats().donation_copies, 1u);
}

TEST(Donation, OfSharedMemoryCopies) {
  Program program("identity");
  program.pass_through(program.input());
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto y = launch_one(device, program.finish(), x);
  const auto z = launch_one(device, updater(1), x);
  EXPECT_THAT(values(z), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(values(y), ElementsAre(1, 2, 3, 4));
}

TEST(Donation, OfABufferPassedTwiceCopies) {
  Program program("twice");
  const Slice x = program.input(), y = program.input(), updated = program.output(0), sum = program.output();
  program.add_scalar(updated, x, 1).thunk("sum", [=](const Launch& launch) {
    for (int i = 0; i < 4; ++i) launch.at<float>(sum)[i] = launch.at<float>(updated)[i] + launch.at<float>(y)[i];
  });
  CpuDevice device;
  const std::vector<BufferPtr> inputs(2, floats(device, {1, 2, 3, 4}));
  const auto outputs = device.launch(program.finish(), inputs);
  EXPECT_THAT(values(outputs[0]), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(values(outputs[1]), ElementsAre(3, 5, 7, 9));
}

TEST(Donation, ToTwoOutputsCopiesForTheSecond) {
  Program program("both");
  program.input();
  const Slice a = program.output(0), b = program.output(0);
  program.add_scalar(a, a, 1).add_scalar(b, b, 2);
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto outputs = device.launch(program.finish(), std::span(&x, 1));
  EXPECT_THAT(values(outputs[0]), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(values(outputs[1]), ElementsAre(3, 4, 5, 6));
}

TEST(Donation, TheInputCannotBeUsedAgain) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  launch_one(device, updater(1), x)->wait();
  EXPECT_EQ(message_of([&] { launch_one(device, adder(1), x); }),
            "launch: adder: input 0 tensor<4xf32> was donated to an earlier launch");
  EXPECT_EQ(message_of([&] { device.read(x, [](auto) {}); }),
            "read: the buffer tensor<4xf32> was donated to an earlier launch");
  EXPECT_EQ(message_of([&] { x->bytes(); }), "bytes: the buffer tensor<4xf32> was donated to a launch");
}

TEST(Donation, RepeatedStepsTakeNothingFromTheSystem) {
  constexpr std::int64_t elements = 1 << 20;
  Program program("step", elements);
  const Slice x = program.input(), t = program.temporary(), y = program.output(0), loss = program.output();
  program.add_scalar(t, x, 1).add_scalar(y, t, 0).add_scalar(loss, t, 1);
  const auto step = program.finish();
  CpuDevice device;
  auto state = device.upload(Type(DType::f32, {elements}), std::vector<std::byte>(elements * 4));
  const auto run = [&] {
    const auto outputs = device.launch(step, std::span(&state, 1));
    state = outputs[0];
    device.read(outputs[1], [](auto) {})->wait();
  };
  for (int i = 0; i < 3; ++i) run();
  device.synchronize();
  const auto before = device.stats();
  for (int i = 0; i < 20; ++i) run();
  device.synchronize();
  EXPECT_EQ(device.stats().system_allocations, before.system_allocations);
  EXPECT_EQ(device.stats().peak_bytes_in_use, before.peak_bytes_in_use);
  const auto result = values(state);
  EXPECT_EQ(std::ranges::count(result, 23.0f), elements);
}

}  // namespace
}  // namespace weft::runtime
