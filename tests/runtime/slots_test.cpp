// The memory of buffers: it is released with its buffer, before, during or after the launch that makes it.
#include <tests/runtime/programs.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr std::int64_t elements = 1 << 14;
constexpr std::uint64_t bytes = elements * sizeof(float);

// Makes enough outputs for several blocks, each x + 1.
std::shared_ptr<const Executable> many_outputs(int outputs) {
  Program program("many", elements);
  const Slice x = program.input();
  for (int i = 0; i < outputs; ++i) program.add_scalar(program.output(), x, 1);
  return program.finish();
}

TEST(Slots, OutputsDroppedBeforeTheirLaunchGiveTheirMemoryBackAtItsEnd) {
  CpuDevice device;
  const BufferPtr gate = promised(elements);
  auto outputs = device.launch(many_outputs(100), std::span(&gate, 1));
  const BufferPtr kept = outputs[37];
  outputs.clear();
  fulfil(device, gate, 1);
  device.synchronize();
  EXPECT_THAT(values(kept), Each(2.0f));
  EXPECT_EQ(device.stats().bytes_in_use, 2 * bytes);  // the gate's and the kept output's
}

TEST(Slots, OutputsDroppedAfterTheirLaunchGiveTheirMemoryBackAtOnce) {
  CpuDevice device;
  const BufferPtr x = promised(elements);
  fulfil(device, x, 1);
  auto outputs = device.launch(many_outputs(100), std::span(&x, 1));
  device.synchronize();
  EXPECT_EQ(device.stats().bytes_in_use, 101 * bytes);
  outputs.resize(1);
  EXPECT_EQ(device.stats().bytes_in_use, 2 * bytes);
  outputs.clear();
  EXPECT_EQ(device.stats().bytes_in_use, bytes);
}

TEST(Slots, OutputsOfAFailedLaunchOwnNothing) {
  CpuDevice device;
  Program program("fails", elements);
  program.output();
  program.thunk("bad", [](const Launch&) { throw Error("no"); });
  const auto outputs = device.launch(program.finish(), {});
  device.synchronize();
  EXPECT_FALSE(outputs[0]->memory());
  EXPECT_EQ(device.stats().bytes_in_use, 0u);
}

TEST(Slots, DonatedInputsMayEndBeforeTheLaunchThatTakesThem) {
  CpuDevice device;
  BufferPtr x = promised(4);
  const BufferPtr gate = x;
  for (int i = 0; i < 5; ++i) x = launch_one(device, updater(1), x);  // each buffer ends when the next launch is made
  fulfil(device, gate, 1);
  EXPECT_THAT(values(x), ElementsAre(6, 6, 6, 6));
  EXPECT_EQ(device.stats().donation_copies, 0u);
}

TEST(Slots, DonatedInputsOfASkippedLaunchGiveTheirMemoryBack) {
  Program program("skipped", elements);
  program.input();
  const Slice x = program.input(), y = program.output(1);
  program.add_scalar(y, x, 1);
  CpuDevice device;
  const BufferPtr broken = promised(elements);
  std::vector<BufferPtr> inputs{broken, device.upload(Type(DType::f32, {elements}), std::vector<std::byte>(bytes))};
  const auto outputs = device.launch(program.finish(), inputs);
  inputs.clear();
  broken->fail(std::make_exception_ptr(Error("no")));
  device.synchronize();
  EXPECT_THROW(outputs[0]->wait(), Error);
  EXPECT_EQ(device.stats().bytes_in_use, 0u);
}

TEST(Slots, BuffersMayEndWhileTheirLaunchDoes) {
  CpuDevice device({.run_ahead_launches = 4});
  const auto program = many_outputs(40);
  const BufferPtr x = promised(elements);
  fulfil(device, x, 1);
  for (int i = 0; i < 200; ++i) {
    auto outputs = device.launch(program, std::span(&x, 1));
    std::thread other([half = std::vector(outputs.begin(), outputs.begin() + 20)]() mutable {
      for (BufferPtr& output : half) output = nullptr;
    });
    for (BufferPtr& output : outputs) output = nullptr;
    other.join();
  }
  device.synchronize();
  EXPECT_EQ(device.stats().bytes_in_use, bytes);
}

}  // namespace
}  // namespace weft::runtime
