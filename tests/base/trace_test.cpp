#include <weft/base/trace.h>

#include <algorithm>
#include <any>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft::trace {
namespace {

TEST(Trace, OffRecordsNothing) {
  {
    const Scope scope("host", "lost");
  }
  add("host", "lost", 1, 2);
  EXPECT_TRUE(stop().spans.empty());
  start();
  EXPECT_TRUE(stop().spans.empty());
}

TEST(Trace, SpansComeInTheOrderOfTheirBeginning) {
  start();
  {
    const Scope outer("host", "outer");
    const Scope inner("host", "inner", 7);
  }
  add("device", "early", 1, 5, 3);
  const auto recording = stop();
  ASSERT_EQ(recording.spans.size(), 3u);
  EXPECT_STREQ(recording.spans[0].name, "early");
  EXPECT_STREQ(recording.spans[0].category, "device");
  EXPECT_EQ(recording.spans[0].number, 3u);
  EXPECT_STREQ(recording.spans[1].name, "outer");
  EXPECT_STREQ(recording.spans[2].name, "inner");
  EXPECT_EQ(recording.spans[2].number, 7u);
  EXPECT_LE(recording.spans[1].begin_ns, recording.spans[2].begin_ns);
  EXPECT_GE(recording.spans[1].end_ns, recording.spans[2].end_ns);
}

TEST(Trace, AFullBufferCountsWhatItDrops) {
  start(10);
  for (int i = 0; i < 25; ++i) add("host", "span", 1, 2);
  const auto recording = stop();
  EXPECT_EQ(recording.spans.size(), 10u);
  EXPECT_EQ(recording.dropped, 15u);
}

TEST(Trace, ThreadsHaveNames) {
  start();
  std::thread([] {
    name_thread("worker");
    add("host", "work", 1, 2);
  }).join();
  const auto recording = stop();
  ASSERT_EQ(recording.spans.size(), 1u);
  EXPECT_EQ(recording.threads[recording.spans[0].thread], "worker");
}

TEST(Trace, KeepsTheOwnersOfStrings) {
  auto owner = std::make_shared<const std::string>("name of a program");
  const std::weak_ptr<const std::string> alive = owner;
  start();
  keep(owner);
  keep(owner);
  add("device", owner->c_str(), 1, 2);
  owner = nullptr;
  {
    const auto recording = stop();
    EXPECT_EQ(recording.kept.size(), 1u);
    EXPECT_STREQ(recording.spans[0].name, "name of a program");
  }
  EXPECT_TRUE(alive.expired());
}

TEST(Trace, OneRecordingAtATime) {
  start();
  EXPECT_THROW(start(), Error);
  stop();
}

TEST(Trace, StopsWhileThreadsAdd) {
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&done] {
      for (; !done; std::this_thread::yield()) const Scope scope("host", "busy");
    });
  }
  for (int i = 0; i < 20; ++i) {
    start(1000);
    std::this_thread::yield();
    for (const Span& span : stop().spans) EXPECT_STREQ(span.name, "busy");
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST(Trace, DrainTakesWhatThereIsAndGoesOn) {
  start(4);
  const auto owner = std::make_shared<const int>(1);
  add("host", "first", 1, 2);
  keep(owner);
  auto drained = drain();
  ASSERT_EQ(drained.spans.size(), 1u);
  EXPECT_STREQ(drained.spans[0].name, "first");
  ASSERT_EQ(drained.kept.size(), 1u);
  EXPECT_EQ(std::any_cast<std::shared_ptr<const int>>(drained.kept[0]), owner);
  keep(owner);  // kept already, so it is returned only once
  for (std::uint64_t i = 0; i < 6; ++i) add("host", "more", 10 + i, 20);
  drained = drain();
  EXPECT_EQ(drained.spans.size(), 4u);
  EXPECT_EQ(drained.dropped, 2u);
  EXPECT_TRUE(drained.kept.empty());
  add("host", "last", 30, 31);
  const auto rest = stop();
  ASSERT_EQ(rest.spans.size(), 1u);
  EXPECT_STREQ(rest.spans[0].name, "last");
  EXPECT_EQ(rest.dropped, 0u);
  EXPECT_TRUE(drain().spans.empty());
}

TEST(Trace, DrainLosesNothingOfManyThreads) {
  constexpr int threads = 4, each = 20'000;
  start(std::size_t{1} << 17);
  std::vector<std::thread> adders;
  for (int t = 0; t < threads; ++t)
    adders.emplace_back([] {
      for (std::uint64_t i = 0; i < each; ++i) add("host", "one", i, i + 1, i);
    });
  std::uint64_t sum = 0, count = 0;
  const auto take = [&](const Recording& recording) {
    count += recording.spans.size() + recording.dropped;
    for (const Span& span : recording.spans) sum += span.number;
  };
  for (int i = 0; i < 50; ++i) take(drain());
  for (std::thread& adder : adders) adder.join();
  take(stop());
  EXPECT_EQ(count, static_cast<std::uint64_t>(threads) * each);
  EXPECT_EQ(sum, static_cast<std::uint64_t>(threads) * each * (each - 1) / 2);
}

}  // namespace
}  // namespace weft::trace
