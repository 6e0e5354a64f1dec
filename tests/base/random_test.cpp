#include <weft/base/random.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::random {
namespace {

using testing::ElementsAre;

// The known answers published with the algorithms (Random123's kat_vectors).
TEST(Threefry2x32, GivesTheKnownAnswers) {
  EXPECT_THAT((threefry2x32<std::uint32_t>({0, 0}, {0, 0})), ElementsAre(0x6b200159u, 0x99ba4efeu));
  EXPECT_THAT((threefry2x32<std::uint32_t>({~0u, ~0u}, {~0u, ~0u})), ElementsAre(0x1cb996fcu, 0xbb002be7u));
  EXPECT_THAT((threefry2x32<std::uint32_t>({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3})),
              ElementsAre(0xc4923a9cu, 0x483df7a0u));
}

TEST(Philox4x32, GivesTheKnownAnswers) {
  EXPECT_THAT((philox4x32<std::uint32_t>({0, 0}, {0, 0, 0, 0})),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT((philox4x32<std::uint32_t>({~0u, ~0u}, {~0u, ~0u, ~0u, ~0u})),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT((philox4x32<std::uint32_t>({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344})),
              ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

std::uint32_t word(std::uint64_t key, std::uint64_t counter, std::size_t at) {
  return threefry2x32(split(key), split(counter))[at];
}

TEST(Threefry, SharesBlocksAlongTheFirstEvenDimension) {
  const std::uint64_t state[] = {7, 40};
  const std::int64_t sizes[] = {3, 4, 6};
  const Threefry t(state, sizes, 4);
  // Element (o, j, i) takes word j % 2 of block (o, j / 2, i) of a 3x2x6 box.
  const auto at = [&](std::uint64_t o, std::uint64_t j, std::uint64_t i) { return t.bits((o * 4 + j) * 6 + i); };
  EXPECT_EQ(at(0, 0, 0), word(7, 40, 0));
  EXPECT_EQ(at(0, 1, 0), word(7, 40, 1));
  EXPECT_EQ(at(2, 3, 5), word(7, 40 + (2 * 2 + 1) * 6 + 5, 1));
  EXPECT_THAT(t.next_state(), ElementsAre(7, 40 + 36, 0));
}

TEST(Threefry, SharesBlocksAlongTheFirstOfTheLargestOddDimensions) {
  const std::uint64_t state[] = {7, 0};
  const std::int64_t sizes[] = {3, 5, 5};
  const Threefry t(state, sizes, 4);
  EXPECT_EQ(t.bits((1 * 5 + 4) * 5 + 3), word(7, (1 * 3 + 2) * 5 + 3, 0));
  EXPECT_EQ(t.bits((1 * 5 + 3) * 5 + 3), word(7, (1 * 3 + 1) * 5 + 3, 1));
  EXPECT_THAT(t.next_state(), ElementsAre(7, 3 * 3 * 5, 0));
}

TEST(Threefry, TakesAScalarAndNothing) {
  const std::uint64_t state[] = {7, 1};
  const std::int64_t nothing[] = {3, 0};
  EXPECT_EQ(Threefry(state, {}, 4).bits(0), word(7, 1, 0));
  EXPECT_THAT(Threefry(state, {}, 4).next_state(), ElementsAre(7, 2, 0));
  EXPECT_THAT(Threefry(state, {}, 8).next_state(), ElementsAre(7, 2, 0));
  EXPECT_THAT(Threefry(state, nothing, 4).next_state(), ElementsAre(7, 1, 0));
}

TEST(Philox, TakesWordsOfABlockInOrder) {
  const std::uint64_t state[] = {7, 5, 9};
  const auto block = philox4x32<std::uint32_t>({7, 0}, {6, 0, 9, 0});
  const Philox narrow(state, 9, 4), wide(state, 9, 8);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(narrow.bits(4 + i), block[i]);
  EXPECT_EQ(wide.bits(2), join(block[0], block[1]));
  EXPECT_EQ(wide.bits(3), join(block[2], block[3]));
  EXPECT_THAT(narrow.next_state(), ElementsAre(7, 5 + 3, 9));
  EXPECT_THAT(wide.next_state(), ElementsAre(7, 5 + 5, 9));
}

TEST(Philox, CarriesIntoTheHighWordAndTakesTheKeyForAMissingOne) {
  const std::uint64_t state[] = {7, ~std::uint64_t{0}, 9}, shorter[] = {7, 5};
  EXPECT_EQ(Philox(state, 8, 4).bits(4), philox4x32<std::uint32_t>({7, 0}, {0, 0, 10, 0})[0]);
  EXPECT_THAT(Philox(state, 8, 4).next_state(), ElementsAre(7, 1, 10));
  EXPECT_EQ(Philox(shorter, 4, 4).bits(0), philox4x32<std::uint32_t>({7, 0}, {5, 0, 7, 0})[0]);
}

}  // namespace
}  // namespace weft::random
