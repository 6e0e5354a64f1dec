#include <weft/base/arena.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Arena, AlignsAndSeparates) {
  Arena arena;
  std::vector<std::pair<std::uintptr_t, std::size_t>> ranges;
  for (std::size_t i = 1; i < 2000; ++i) {
    const std::size_t alignment = std::size_t{1} << (i % 7);
    const auto address = reinterpret_cast<std::uintptr_t>(arena.allocate(i, alignment));
    EXPECT_EQ(address % alignment, 0u);
    std::memset(reinterpret_cast<void*>(address), 1, i);
    ranges.emplace_back(address, i);
  }
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i)
    EXPECT_LE(ranges[i - 1].first + ranges[i - 1].second, ranges[i].first);
}

TEST(Arena, LargeRequestsAreServed) {
  Arena arena;
  std::memset(arena.allocate(10 << 20, 64), 1, 10 << 20);
  std::memset(arena.allocate(100, 8), 1, 100);
}

TEST(Arena, MakesAndCopies) {
  struct Pair {
    int a;
    double b;
  };
  Arena arena;
  const Pair* pair = arena.make<Pair>(3, 0.5);
  EXPECT_EQ(pair->a, 3);
  EXPECT_EQ(pair->b, 0.5);
  std::vector<int> numbers = {1, 2, 3};
  const auto copy = arena.copy(std::span<const int>(numbers));
  numbers = {};
  EXPECT_THAT(copy, testing::ElementsAre(1, 2, 3));
  EXPECT_TRUE(arena.copy(std::span<const int>()).empty());
}

TEST(Arena, ClearedMemoryIsUsedAgain) {
  Arena arena;
  std::vector<void*> first, second;
  for (int i = 0; i < 100; ++i) first.push_back(arena.allocate(1000, 8));
  arena.clear();
  for (int i = 0; i < 100; ++i) second.push_back(arena.allocate(1000, 8));
  EXPECT_EQ(first, second);
}

TEST(Arena, MovesWithItsMemory) {
  Arena arena;
  int* number = arena.make<int>(5);
  Arena other = std::move(arena);
  EXPECT_EQ(*number, 5);
  const int* here = arena.make<int>(6);  // NOLINT: an arena that was moved from is empty
  const int* there = other.make<int>(7);
  EXPECT_NE(here, there);
  EXPECT_EQ(*number, 5);
}

}  // namespace
}  // namespace weft
