// Which thunks may run concurrently, derived from what they read and write.
#include <weft/runtime/schedule.h>

#include <string>
#include <tests/runtime/programs.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Wait = Schedule::Wait;

const auto nothing = [](const Launch&) {};

// Returns the names of a part's thunks.
std::vector<std::string> names(const Executable& executable, std::size_t part) {
  std::vector<std::string> result;
  for (const Schedule::Task& task : executable.schedule->parts.at(part).tasks)
    result.push_back(executable.thunks[task.thunk]->info.name);
  return result;
}

TEST(Schedule, ThereIsNoneWhereAllIsComputed) { EXPECT_EQ(adder(1)->schedule, nullptr); }

TEST(Schedule, WaitsForWhatIsReadAlone) {
  Program program("both");
  const Slice x = program.input(), a = program.temporary(), b = program.temporary(), y = program.output(),
              told = program.output();
  program.add_scalar(a, x, 1);
  program.thunk_on(StreamKind::host, "tell", {a}, {told}, nothing);
  program.add_scalar(b, a, 1).add_scalar(y, b, 1);
  const auto executable = program.finish();
  const Schedule& schedule = *executable->schedule;
  EXPECT_THAT(names(*executable, 0), ElementsAre("add", "add", "add"));
  EXPECT_THAT(names(*executable, 1), ElementsAre("tell"));
  EXPECT_EQ(schedule.parts[1].stream, StreamKind::host);
  EXPECT_THAT(schedule.parts[1].tasks[0].waits, ElementsAre(Wait{0, 1}));
  for (const auto& task : schedule.parts[0].tasks) EXPECT_THAT(task.waits, IsEmpty());
  EXPECT_TRUE(schedule.parts[0].tasks[0].is_awaited);
  EXPECT_FALSE(schedule.parts[0].tasks[1].is_awaited);
  ASSERT_EQ(schedule.groups.size(), 2u) << "one event for the host's outputs, and one for computed ones";
  EXPECT_THAT(schedule.groups[0].outputs, ElementsAre(0));
  EXPECT_THAT(schedule.groups[0].waits, ElementsAre(Wait{0, 4}));
  EXPECT_THAT(schedule.groups[1].outputs, ElementsAre(1));
  EXPECT_THAT(schedule.groups[1].waits, ElementsAre(Wait{1, 1}));
}

TEST(Schedule, BytesThatAreUsedAgainAreNotOverwrittenTooEarly) {
  Program program("again");
  const Slice x = program.input(), a = program.temporary(), y = program.output(), told = program.output();
  program.add_scalar(a, x, 1);
  program.thunk_on(StreamKind::host, "tell", {a}, {told}, nothing);
  program.add_scalar(y, x, 2);
  // Another temporary in the same bytes.
  Executable& executable = program.executable();
  Allocation again = executable.allocations[a.allocation];
  executable.allocations.push_back(again);
  const Slice b{
      .allocation = static_cast<std::uint32_t>(executable.allocations.size() - 1), .offset = 0, .bytes = a.bytes};
  program.add_scalar(b, x, 3);
  const auto done = program.finish();
  const auto& computed = done->schedule->parts[0].tasks;
  EXPECT_THAT(computed[1].waits, IsEmpty());
  EXPECT_THAT(computed[2].waits, ElementsAre(Wait{1, 1}));
}

TEST(Schedule, AnInputThatIsTakenOverIsReadFirst) {
  Program program("update");
  const Slice x = program.input(), y = program.output(0), told = program.output(), z = program.output();
  program.thunk_on(StreamKind::host, "tell", {x}, {told}, nothing);
  program.add_scalar(z, x, 1).add_scalar(y, x, 1);
  const auto executable = program.finish();
  EXPECT_THAT(executable->schedule->parts[0].tasks[0].waits, IsEmpty());
  EXPECT_THAT(executable->schedule->parts[0].tasks[1].waits, ElementsAre(Wait{1, 1}));
}

TEST(Schedule, WhatNothingCouldRunBesideStaysOnTheComputeStream) {
  Program program("chain");
  const Slice x = program.input(), a = program.temporary(), b = program.temporary(), y = program.output();
  program.add_scalar(a, x, 1);
  program.thunk_on(StreamKind::host, "between", {a}, {b}, nothing);
  program.add_scalar(y, b, 1);
  EXPECT_EQ(program.finish()->schedule, nullptr);
}

// The second sum could run on the compute stream, because that has nothing else to do, but the first one may still occupy the link.
TEST(Schedule, TwoThunksOfAStreamNeverRunAtOnce) {
  const auto sums = [](bool first_is_awaited) {
    Program program("sums");
    const Slice x = program.input(), a = program.temporary(), b = program.temporary(), c = program.temporary(),
                d = program.temporary(), y = program.output(), z = program.output();
    program.add_scalar(a, x, 1);
    program.thunk_on(StreamKind::communication, "first", {a}, {b}, nothing);
    program.add_scalar(c, x, 1);
    if (first_is_awaited) program.add_scalar(y, b, 1).add_scalar(c, x, 1);
    program.thunk_on(StreamKind::communication, "second", {c}, {d}, nothing);
    program.add_scalar(z, d, 1);
    if (!first_is_awaited) program.add_scalar(y, b, 1);
    return program.finish();
  };
  EXPECT_THAT(names(*sums(false), 1), ElementsAre("first", "second"));
  EXPECT_THAT(names(*sums(true), 1), ElementsAre("first"));
}

TEST(Schedule, SideEffectsKeepTheirOrder) {
  Program program("effects");
  const Slice x = program.input(), a = program.output(), b = program.output();
  program.add_scalar(a, x, 1);
  program.thunk_on(StreamKind::host, "first", {a}, {}, nothing);
  program.add_scalar(b, x, 1);
  program.thunk_on(StreamKind::communication, "second", {b}, {}, nothing);
  for (const auto& thunk : program.executable().thunks)
    if (thunk->stream != StreamKind::compute) const_cast<Thunk&>(*thunk).has_side_effect = true;
  const auto executable = program.finish();
  EXPECT_THAT(executable->schedule->parts[2].tasks[0].waits, ElementsAre(Wait{0, 2}, Wait{1, 1}));
}

}  // namespace
}  // namespace weft::runtime
