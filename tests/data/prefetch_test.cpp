#include <weft/data/prefetch.h>

#include <atomic>
#include <memory>
#include <tests/no_more_threads.h>

#include <gtest/gtest.h>

#include <weft/runtime/cpu/cpu_device.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::data {
namespace {

TEST(Prefetch, HandsOutInOrderWhateverTheWorkers) {
  for (const int workers : {0, 1, 3}) {
    Prefetch<std::int64_t> items([](std::int64_t index) { return index * index; }, {workers, 4, 10});
    for (std::int64_t i = 10; i < 200; ++i) ASSERT_EQ(items.next(), i * i) << workers;
  }
}

TEST(Prefetch, MakesItemsItselfWhereNoWorkersCanBeStarted) {
  const NoMoreThreads none;
  Prefetch<std::int64_t> items([](std::int64_t index) { return index * index; }, {2, 4, 10});
  for (std::int64_t i = 10; i < 20; ++i) EXPECT_EQ(items.next(), i * i);
}

TEST(Prefetch, RunsAheadOnlyAsFarAsAllowed) {
  std::atomic<std::int64_t> made = 0;
  Prefetch<int> items([&](std::int64_t) { return static_cast<int>(++made); }, {2, 3, 0});
  for (std::int64_t taken = 1; taken < 100; ++taken) {
    items.next();
    EXPECT_LE(made, taken + 3);
  }
}

TEST(Prefetch, ErrorsComeWithTheirItem) {
  Prefetch<std::unique_ptr<int>> items(
      [](std::int64_t index) {
        require(index != 2, "no item 2");
        return std::make_unique<int>(static_cast<int>(index));
      },
      {2, 2, 0});
  EXPECT_EQ(*items.next(), 0);
  EXPECT_EQ(*items.next(), 1);
  EXPECT_THROW(items.next(), Error);
  EXPECT_EQ(*items.next(), 3);
}

TEST(Prefetch, MayEndBeforeItsItemsAreTaken) {
  for (int i = 0; i < 20; ++i) Prefetch<int> items([](std::int64_t) { return 1; }, {3, 8, 0});
}

// The consumer must be able to use what the workers make.
TEST(Prefetch, WorkersMakeTensorsOfTheDeviceOfTheirThread) {
  runtime::CpuDevice other;
  runtime::Device& before = device();
  set_device(other);
  {
    Prefetch<Tensor> items([](std::int64_t index) { return tensor({static_cast<float>(index)}); }, {2, 4, 0});
    for (int i = 0; i < 8; ++i) EXPECT_EQ((items.next() + 1).item(), i + 1);
  }
  set_device(before);
}

}  // namespace
}  // namespace weft::data
