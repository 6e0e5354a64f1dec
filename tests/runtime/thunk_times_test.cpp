#include <weft/runtime/thunk_times.h>

#include <tests/runtime/programs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::HasSubstr;

TEST(ThunkTimes, AreAddedUpByThunk) {
  Program program("step");
  const Slice x = program.input(), y = program.output();
  program.add_scalar(y, x, 1).add_scalar(y, y, 2);
  const auto step = program.finish();
  CpuDevice device;
  const auto input = floats(device, {1, 2, 3, 4});
  launch_one(device, step, input);  // not counted
  device.synchronize();
  device.set_profiling(true);
  for (int i = 0; i < 3; ++i) launch_one(device, step, input);
  device.synchronize();
  device.set_profiling(false);
  launch_one(device, step, input);
  device.synchronize();
  const auto times = device.thunk_times();
  ASSERT_EQ(times.size(), 2u);
  for (const auto& time : times) {
    EXPECT_EQ(time.executable, "step");
    EXPECT_EQ(time.name, "add");
    EXPECT_EQ(time.count, 3u);
  }
  device.set_profiling(true);
  EXPECT_TRUE(device.thunk_times().empty());
}

TEST(ThunkTimes, TheTableIsSortedByTime) {
  const std::vector<ThunkTime> times = {
      {.executable = "step",
       .name = "fusion.1",
       .category = "loop fusion",
       .source = "a.cpp:1",
       .count = 10,
       .total_ns = 1'000'000,
       .bytes = 1e5},
      {.executable = "step",
       .name = "dot.1",
       .category = "dot",
       .source = "",
       .count = 10,
       .total_ns = 3'000'000,
       .flops = 3e7},
      {.executable = "step", .name = "dot.2", .category = "dot", .source = "", .count = 10, .total_ns = 0}};
  const std::string table = thunk_table(times, 2);
  EXPECT_THAT(table, HasSubstr("      3.000   75.0%        20      0.1500     100.0      0.0  dot\n"));
  EXPECT_THAT(table,
              HasSubstr("      1.000   25.0%        10      0.1000       0.0      1.0  step/fusion.1  a.cpp:1\n"));
  EXPECT_THAT(table, HasSubstr("and 1 more"));
  EXPECT_LT(table.find("step/dot.1"), table.find("step/fusion.1"));
}

}  // namespace
}  // namespace weft::runtime
