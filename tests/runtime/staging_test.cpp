// Memory for messages, which a thread keeps from one exchange to the next.
#include <weft/runtime/staging.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

std::byte* first_of_exchange(std::size_t bytes) { return Staging().take(bytes); }

TEST(Staging, BlocksAreAlignedAndDoNotOverlap) {
  for (int exchange = 0; exchange < 3; ++exchange) {
    Staging staging;
    std::vector<std::byte*> blocks;
    for (const std::size_t bytes : {1, 100, 0, 4096, 63}) {
      blocks.push_back(staging.take(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % 64, 0u);
      std::memset(blocks.back(), static_cast<int>(blocks.size()), bytes);
    }
    EXPECT_EQ(std::to_integer<int>(blocks[0][0]), 1);
    EXPECT_EQ(std::to_integer<int>(blocks[1][99]), 2);
    EXPECT_EQ(std::to_integer<int>(blocks[3][4095]), 4);
  }
}

TEST(Staging, AnExchangeGetsTheMemoryOfTheOneBefore) {
  std::thread([] {  // which has kept none yet
    first_of_exchange(1000);
    std::byte* const kept = first_of_exchange(1000);
    EXPECT_EQ(first_of_exchange(1000), kept);
    EXPECT_EQ(first_of_exchange(10), kept) << "one that needs less, too";
    EXPECT_EQ(first_of_exchange(1000), kept) << "and it is not lost by that";
  })
      .join();
}

TEST(Staging, AThreadKeepsOneBlockForAllThatAnExchangeNeeds) {
  std::thread([] {
    const auto distance = [] {
      Staging staging;
      std::byte* const first = staging.take(640);
      return staging.take(6400) - first;
    };
    distance();
    EXPECT_EQ(distance(), 640);
  }).join();
}

}  // namespace
}  // namespace weft::runtime
