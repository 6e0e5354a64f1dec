// Errors belong to the launch that failed; dependent launches carry the first error.
#include <tests/runtime/programs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const BufferPtr& buffer) {
  return message_of([&] { buffer->wait(); });
}

TEST(LaunchError, NamesThunkExecutableAndLaunch) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  launch_one(device, adder(1), x);
  EXPECT_EQ(error_of(launch_one(device, thrower("gather: index 9 is out of range"), x)),
            "gather: index 9 is out of range (bad, step 1 of thrower)");
}

TEST(LaunchError, NamesTheUsersSource) {
  Program program("step");
  program.output();
  auto thunk = std::make_unique<FunctionThunk>("fusion.3", [](const Launch&) { throw InternalError("broken"); });
  thunk->info.source = "model.cpp:42";
  program.executable().thunks.push_back(std::move(thunk));
  CpuDevice device;
  const auto y = device.launch(program.finish(), {}).at(0);
  EXPECT_THROW(y->wait(), InternalError);
  EXPECT_EQ(error_of(y), "broken (fusion.3 from model.cpp:42, step 0 of step)");
}

TEST(LaunchError, SkipsDependentsWithTheSameError) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const auto first = launch_one(device, thrower("first"), x);
  const auto second = launch_one(device, thrower("second"), first);
  bool ran = false;
  Program program("dependent");
  program.input();
  program.output();
  program.thunk("note", [&ran](const Launch&) { ran = true; });
  const auto third = launch_one(device, program.finish(), second);
  EXPECT_EQ(error_of(third), error_of(first));
  EXPECT_FALSE(ran);
  EXPECT_EQ(device.stats().failed_launches, 1u);
  EXPECT_EQ(device.stats().skipped_launches, 2u);
}

TEST(LaunchError, OfTheFirstInputThatHasOne) {
  Program program("two");
  program.input();
  program.input();
  program.output();
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  const std::vector<BufferPtr> inputs = {launch_one(device, thrower("a"), x), launch_one(device, thrower("b"), x)};
  EXPECT_THAT(error_of(device.launch(program.finish(), inputs)[0]), HasSubstr("a (bad, step 0"));
}

TEST(LaunchError, LeavesIndependentLaunchesAlone) {
  CpuDevice device;
  const auto x = floats(device, {1, 2, 3, 4});
  launch_one(device, thrower("no"), x);
  EXPECT_THAT(values(launch_one(device, adder(1), x)), ElementsAre(2, 3, 4, 5));
}

TEST(LaunchError, IsNotThrownBySynchronize) {
  CpuDevice device;
  launch_one(device, thrower("no"), floats(device, {1, 2, 3, 4}));
  EXPECT_NO_THROW(device.synchronize());
}

TEST(LaunchError, OfABrokenPromise) {
  CpuDevice device;
  const auto x = promised();
  const auto y = launch_one(device, adder(1), x);
  x->fail(std::make_exception_ptr(Error("the disk is gone")));
  x->fail(std::make_exception_ptr(Error("too late")));
  EXPECT_EQ(error_of(y), "the disk is gone");
}

TEST(LaunchError, WithoutMemoryTheInputsStayWhole) {
  Program program("large", 1 << 20);
  program.output();
  program.input();
  program.output(0);
  CpuDevice device({.memory_bytes = 6 << 20});
  const auto x = device.upload(Type(DType::f32, {1 << 20}), std::vector<std::byte>(4 << 20));
  const auto outputs = device.launch(program.finish(), std::span(&x, 1));
  EXPECT_EQ(error_of(outputs[0]), "allocate: cannot get 4.0 MiB: 4.0 MiB of 6.0 MiB are in use (step 0 of large)");
  EXPECT_TRUE(x->memory());
}

TEST(LaunchError, IsRethrownToEveryWaiter) {
  CpuDevice device;
  const auto bad = launch_one(device, thrower("no"), floats(device, {1, 2, 3, 4}));
  for (int i = 0; i < 3; ++i) EXPECT_THROW(bad->bytes(), Error);
}

}  // namespace
}  // namespace weft::runtime
