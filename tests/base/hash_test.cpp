#include <weft/base/hash.h>

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Mix, DependsOnOrderAndValues) {
  EXPECT_NE(mix(1, 2), mix(2, 1));
  EXPECT_NE(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
  EXPECT_EQ(mix(7, 9), mix(7, 9));
}

TEST(Mix, SmallValuesDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 300; ++a) {
    for (std::uint64_t b = 0; b < 300; ++b) seen.insert(mix(a, b));
  }
  EXPECT_EQ(seen.size(), 90'000u);
}

TEST(Fingerprint, BothHalvesDependOnEveryValue) {
  std::set<std::uint64_t> low, high;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Fingerprint f;
    f.add(i);
    f.add(5);
    low.insert(f.low);
    high.insert(f.high);
  }
  EXPECT_EQ(low.size(), 1000u);
  EXPECT_EQ(high.size(), 1000u);
}

// mix() multiplies and folds: if a factor is 0 or all ones, the seed is lost. No value may cause this in both halves.
TEST(Fingerprint, NoValueMakesItForget) {
  constexpr std::uint64_t zero_factor = 0xd6e8feb86659fd93u, second = 0x082efa98ec4e6c89u;
  for (const std::uint64_t value : {zero_factor, ~zero_factor, zero_factor ^ second, ~zero_factor ^ second}) {
    Fingerprint a, b;
    a.add(1);
    b.add(2);
    a.add(value);
    b.add(value);
    EXPECT_NE(a, b);
  }
}

TEST(HashBytes, IsXxh3) {
  EXPECT_EQ(hash_bytes(""), 0x2d06800538d394c2u);
  EXPECT_EQ(hash_bytes("weft"), hash_bytes(std::string("weft")));
  EXPECT_NE(hash_bytes("weft"), hash_bytes("warp"));
}

}  // namespace
}  // namespace weft
