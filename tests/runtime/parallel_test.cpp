#include <weft/runtime/parallel.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/runtime/foreign_threads.h>

namespace weft::runtime {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

class Parallel : public testing::Test {
 protected:
  Parallel() : before_(thread_count()) {}
  ~Parallel() override { set_thread_count(before_); }

  // Returns the ranges passed to bodies, in order.
  static Ranges ranges(std::int64_t count, std::int64_t grain) {
    std::mutex mutex;
    Ranges result;
    parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex);
      result.emplace_back(begin, end);
    });
    std::ranges::sort(result);
    return result;
  }

 private:
  int before_;
};

TEST_F(Parallel, RangesCoverEverythingOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    for (const std::int64_t count : {1, 2, 3, 7, 8, 9, 1000}) {
      std::int64_t next = 0;
      for (const auto& [begin, end] : ranges(count, 1)) {
        EXPECT_EQ(begin, next);
        EXPECT_GT(end, begin);
        next = end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST_F(Parallel, TheCutDependsOnCountGrainAndThreadsAlone) {
  set_thread_count(3);
  EXPECT_EQ(ranges(10, 1), (Ranges{{0, 4}, {4, 7}, {7, 10}}));
  EXPECT_EQ(ranges(10, 5), (Ranges{{0, 5}, {5, 10}}));
  EXPECT_EQ(ranges(10, 6), (Ranges{{0, 10}}));
  EXPECT_EQ(ranges(2, 1), (Ranges{{0, 1}, {1, 2}}));
}

TEST_F(Parallel, ABusyMachineChangesWhoRunsARangeAndNotTheRanges) {
  set_thread_count(3);
  const CpusLeft cpus(1);
  EXPECT_EQ(threads_now(), 1);
  EXPECT_EQ(ranges(10, 1), (Ranges{{0, 4}, {4, 7}, {7, 10}}));
  parallel_for(3, 1,
               [caller = std::this_thread::get_id()](auto, auto) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST_F(Parallel, ABusyMachineNeverGivesMoreThreadsThanThereAre) {
  set_thread_count(2);
  const CpusLeft cpus(5);
  EXPECT_EQ(threads_now(), 2);
}

TEST_F(Parallel, DevicesThatComputeAtOnceShareTheThreads) {
  const knobs::Override share(knobs::share_cpus, true);
  set_thread_count(2);
  const Computing one;
  {
    const Computing two;
    EXPECT_EQ(threads_now(), 1);
    const Computing three;
    EXPECT_EQ(threads_now(), 1);
  }
  set_thread_count(1024);  // more than the number of CPUs, so their load does not matter
  EXPECT_EQ(threads_now(), 1024);
}

TEST_F(Parallel, NothingToDoCallsNothing) {
  EXPECT_TRUE(ranges(0, 1).empty());
  EXPECT_TRUE(ranges(-5, 1).empty());
}

TEST_F(Parallel, SmallCountsRunOnTheCaller) {
  set_thread_count(2);
  std::thread::id id;
  parallel_for(10, 100, [&](auto, auto) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST_F(Parallel, ManyPartsRunOnManyThreads) {
  const knobs::Override share(knobs::share_cpus, false);  // whatever else the machine does
  set_thread_count(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  parallel_for(2, 1, [&](auto, auto) {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
}

TEST_F(Parallel, NestedCallsRunInline) {
  set_thread_count(2);
  std::atomic<int> inner = 0;
  parallel_for(2, 1, [&](auto, auto) {
    const auto outer = std::this_thread::get_id();
    parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      inner += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner, 200);
}

TEST_F(Parallel, TheErrorOfTheLowestRangeIsRethrown) {
  set_thread_count(4);
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> calls = 0;
    try {
      parallel_for(4, 1, [&](std::int64_t begin, std::int64_t) {
        ++calls;
        if (begin > 0) fail("range ", begin);
      });
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "range 1");
    }
    EXPECT_EQ(calls, 4);
  }
}

TEST_F(Parallel, AConstBodyIsCalled) {
  std::atomic<int> calls = 0;
  const auto body = [&calls](auto, auto) { ++calls; };
  parallel_for(1, 1, body);
  EXPECT_EQ(calls, 1);
}

TEST_F(Parallel, ThreadCountsAreChecked) {
  EXPECT_THROW(set_thread_count(0), Error);
  EXPECT_THROW(set_thread_count(1 << 20), Error);
  set_thread_count(5);
  EXPECT_EQ(thread_count(), 5);
}

TEST_F(Parallel, WritesAreSeenAfterwards) {
  set_thread_count(4);
  std::vector<int> data(10'000);
  for (int round = 1; round <= 50; ++round) {
    parallel_for(10'000, 100, [&](std::int64_t begin, std::int64_t end) {
      for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) ++data[i];
    });
    EXPECT_THAT(data, testing::Each(round));
  }
}

TEST_F(Parallel, ManyCallersAtOnce) {
  set_thread_count(2);
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<std::int64_t> sum = 0;
        parallel_for(1000, 1, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
        EXPECT_EQ(sum, 1000);
      }
    });
  }
  for (auto& caller : callers) caller.join();
}

TEST_F(Parallel, SeriallyRunsOnTheCallingThread) {
  set_thread_count(4);
  const auto threads = [] {
    std::mutex mutex;
    std::vector<std::thread::id> ids;
    parallel_for(4, 1, [&](std::int64_t, std::int64_t) {
      const std::lock_guard lock(mutex);
      ids.push_back(std::this_thread::get_id());
    });
    return ids;
  };
  {
    const Serially alone;
    EXPECT_THAT(threads(), testing::ElementsAre(std::this_thread::get_id()));
  }
  EXPECT_EQ(threads().size(), 4u);
}

TEST(ForeignThreads, KernelsRunWhileOthersAreExpected) {
  for (int round = 0; round < 3; ++round) {
    expect_foreign_threads();
    std::vector<int> visited(1000);
    parallel_for(std::ssize(visited), 1, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) ++visited[begin];
    });
    EXPECT_EQ(visited, std::vector<int>(1000, 1));
  }
}

}  // namespace
}  // namespace weft::runtime
