#include <weft/runtime/cpu_share.h>

#include <cstdint>
#include <thread>
#include <time.h>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

constexpr std::uint64_t window = 100'000'000;  // in nanoseconds

// A machine with `cpus` CPUs, of which other programs keep `others` busy and this process `own`.
class Machine {
 public:
  explicit Machine(int cpus) : cpus_(cpus), share_(cpus) { share_.add(now_); }

  int threads(int wanted) const { return threads_on(share_.left(), cpus_, wanted); }

  void run(double others, double own, int windows = 10) {
    for (int i = 0; i < windows; ++i) {
      pass(others, own);
      share_.add(now_);
    }
  }
  // This process does nothing for a while.
  void pause(double others) {
    pass(others, 0);
    share_.start(now_);
  }

 private:
  void pass(double others, double own) {
    now_.wall += window;
    now_.own += static_cast<std::uint64_t>(own * window);
    now_.busy += static_cast<std::uint64_t>((others + own) * window);
  }

  int cpus_;
  CpuShare share_;
  CpuTimes now_{.wall = window, .busy = 50 * window, .own = window};
};

TEST(CpuShare, AnIdleMachineLeavesAllThreads) {
  Machine machine(2);
  EXPECT_EQ(machine.threads(2), 2);
  machine.run(0.1, 2);
  EXPECT_EQ(machine.threads(2), 2);
}

TEST(CpuShare, EveryCpuThatOthersNeedIsOneThreadLess) {
  Machine machine(8);
  machine.run(1, 7);
  EXPECT_EQ(machine.threads(8), 7);
  machine.run(3, 5);
  EXPECT_EQ(machine.threads(8), 5);
  machine.run(0, 5);
  EXPECT_EQ(machine.threads(8), 8);
}

TEST(CpuShare, HalfOfTheThreadsStayHoweverMuchOthersTake) {
  Machine machine(8);
  machine.run(7.5, 0.5);
  EXPECT_EQ(machine.threads(8), 4);
  EXPECT_EQ(machine.threads(3), 2);
  EXPECT_EQ(machine.threads(1), 1);
}

TEST(CpuShare, FewerThreadsThanCpusAreNotReducedWhileTheyFit) {
  Machine machine(8);
  machine.run(4, 4);
  EXPECT_EQ(machine.threads(4), 4);
  EXPECT_EQ(machine.threads(5), 4);
}

TEST(CpuShare, MoreThreadsThanCpusAreWhatSomebodyAskedFor) {
  Machine machine(2);
  machine.run(2, 0.5);
  EXPECT_EQ(machine.threads(3), 3);
}

TEST(CpuShare, ALoadAroundHalfACpuDoesNotMakeTheNumberSwing) {
  Machine machine(2);
  machine.run(0.6, 1.4);
  EXPECT_EQ(machine.threads(2), 1);
  for (int i = 0; i < 20; ++i) {
    machine.run(i % 2 ? 0.4 : 0.6, 1, 1);
    EXPECT_EQ(machine.threads(2), 1);
  }
  machine.run(0.2, 1);
  EXPECT_EQ(machine.threads(2), 2);
}

TEST(CpuShare, OneShortBurstChangesNothing) {
  Machine machine(2);
  machine.run(0.9, 1, 1);
  EXPECT_EQ(machine.threads(2), 2);
}

TEST(CpuShare, WhatRanDuringAPauseDoesNotCount) {
  Machine machine(2);
  machine.run(0, 2);
  machine.pause(2);
  EXPECT_EQ(machine.threads(2), 2);
  machine.run(1, 1);
  EXPECT_EQ(machine.threads(2), 1);
}

// The system counts busy CPUs in ticks, but its own time exactly, so the busy time may lag behind.
TEST(CpuShare, ReadingsThatLagBehindDoNotCountAsLoad) {
  CpuShare share(2);
  share.add({.wall = window, .busy = 10 * window, .own = window});
  share.add({.wall = 2 * window, .busy = 10 * window, .own = 3 * window});
  EXPECT_EQ(share.others(), 0);
  EXPECT_EQ(share.left(), 2);
}

void burn(std::uint64_t ns) {
  timespec time{};
  do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  while (static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec) < ns);
}

TEST(CpuTimes, CompetingThreadsAreNotThisProcess) {
  const auto before = read_cpu_times();
  ASSERT_TRUE(before.has_value());
  std::thread([] {
    const CompetingThread competing;
    burn(window);
  }).join();
  const auto between = read_cpu_times();
  std::thread([] { burn(window); }).join();
  const auto after = read_cpu_times();
  EXPECT_LT(between->own - before->own, window / 2);
  EXPECT_GE(after->own - between->own, window);
  EXPECT_GE(between->wall - before->wall, window / 2);
  EXPECT_GE(after->busy, between->busy);
}

}  // namespace
}  // namespace weft::runtime
