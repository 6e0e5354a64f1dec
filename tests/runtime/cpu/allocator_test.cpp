#include <algorithm>
#include <cstring>
#include <tests/runtime/programs.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/runtime/cpu/host_memory.h>

namespace weft::runtime {
namespace {

constexpr std::uint64_t mib = 1 << 20;

TEST(Allocator, AlignsAndCounts) {
  const auto allocator = host_allocator();
  std::vector<Memory> blocks;
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65}, std::uint64_t{5000}, mib + 1, 3 * mib}) {
    blocks.push_back(allocator->allocate(bytes));
    std::memset(blocks.back().device_address(), 1, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(blocks.back().device_address());
    EXPECT_EQ(address % (bytes >= 2 * mib ? 2 * mib : 64), 0u) << bytes;
  }
  const auto full = allocator->stats();
  EXPECT_GE(full.bytes_in_use, 4 * mib + 5000);
  EXPECT_LE(full.bytes_in_use, 4 * mib + 5000 + mib / 8);
  EXPECT_EQ(full.peak_bytes_in_use, full.bytes_in_use);
  blocks.clear();
  EXPECT_EQ(allocator->stats().bytes_in_use, 0u);
  EXPECT_EQ(allocator->stats().bytes_cached, full.bytes_in_use);
  EXPECT_EQ(allocator->stats().peak_bytes_in_use, full.bytes_in_use);
  allocator->release_cached();
  EXPECT_EQ(allocator->stats().bytes_cached, 0u);
}

TEST(Allocator, HandsOutABlockAgain) {
  const auto allocator = host_allocator();
  for (const std::uint64_t bytes : {std::uint64_t{100}, 3 * mib}) {
    auto block = allocator->allocate(bytes);
    const auto* address = block.device_address();
    block = nullptr;
    block = allocator->allocate(bytes);
    EXPECT_EQ(block.device_address(), address);
  }
  EXPECT_EQ(allocator->stats().system_allocations, 2u);
}

TEST(Allocator, ALargerBlockServesUpToAQuarterLess) {
  const auto allocator = host_allocator();
  allocator->allocate(100 * mib);
  allocator->allocate(80 * mib);
  EXPECT_EQ(allocator->stats().system_allocations, 1u);
  allocator->allocate(70 * mib);
  EXPECT_EQ(allocator->stats().system_allocations, 2u);
}

TEST(Allocator, CachingDoesNotLiftTheFootprint) {
  const auto allocator = host_allocator();
  for (const std::uint64_t size : {10, 20, 40, 80}) allocator->allocate(size * mib);
  const auto stats = allocator->stats();
  EXPECT_EQ(stats.peak_bytes_in_use, 80 * mib);
  EXPECT_LE(stats.bytes_cached, 80 * mib);
}

TEST(Allocator, ARepeatedPatternComesToRest) {
  const auto allocator = host_allocator();
  const auto step = [&] {
    for (const std::uint64_t size : {10, 20, 40, 80, 30}) allocator->allocate(size * mib);
  };
  for (int i = 0; i < 10; ++i) step();
  const auto settled = allocator->stats().system_allocations;
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(allocator->stats().system_allocations, settled);
}

TEST(Allocator, TheLimitThrowsWithTheSizes) {
  const auto allocator = host_allocator(4 * mib);
  const auto block = allocator->allocate(3 * mib);
  EXPECT_EQ(message_of([&] { allocator->allocate(2 * mib); }),
            "allocate: cannot get 2.0 MiB: 3.0 MiB of 4.0 MiB are in use");
  EXPECT_THROW(allocator->allocate(std::uint64_t{1} << 63), Error);
  EXPECT_EQ(allocator->stats().bytes_in_use, 3 * mib);
}

TEST(Allocator, CachedBlocksMakeRoomWithinTheLimit) {
  const auto allocator = host_allocator(4 * mib);
  allocator->allocate(3 * mib);
  const auto block = allocator->allocate(2 * mib);
  EXPECT_LE(allocator->stats().bytes_in_use + allocator->stats().bytes_cached, 4 * mib);
}

TEST(Allocator, ZeroedMeansZeroed) {
  const auto allocator = host_allocator();
  for (const std::uint64_t bytes : {std::uint64_t{100}, 3 * mib}) {
    auto block = allocator->allocate(bytes);
    std::memset(block.device_address(), 7, bytes);
    block = nullptr;
    block = allocator->allocate(bytes, true);
    EXPECT_TRUE(std::all_of(block.device_address(), block.device_address() + bytes,
                            [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(Allocator, MemoryOutlivesEveryOtherOwner) {
  auto allocator = host_allocator();
  const auto block = allocator->allocate(3 * mib);
  allocator = nullptr;
  std::memset(block.device_address(), 1, 3 * mib);
}

TEST(Allocator, ManyThreadsMayAllocate) {
  const auto allocator = host_allocator();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 1; i <= 200; ++i) {
        const auto block = allocator->allocate(i * 100);
        std::memset(block.device_address(), t, i * 100);
        const auto other = allocator->allocate(i);
        EXPECT_EQ(block.device_address()[i * 100 - 1], static_cast<std::byte>(t));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(allocator->stats().bytes_in_use, 0u);
}

}  // namespace
}  // namespace weft::runtime
