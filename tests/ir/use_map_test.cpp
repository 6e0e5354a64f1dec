#include <weft/ir/text/use_map.h>

#include <deque>

#include <gtest/gtest.h>

namespace weft::ir::text {
namespace {

// Few entries are searched, many are hashed, whether or not the number is known before.
TEST(UseMap, FindsWhatWasAdded) {
  const std::deque<std::string_view> names(40, "%x");  // names differ by their addresses
  for (const std::size_t reserved : {0, 3, 40}) {
    UseMap<int> map;
    map.reserve(reserved);
    EXPECT_TRUE(map.empty());
    int count = 0;
    for (const std::string_view& name : names)
      for (const std::uint32_t index : {0U, 1U, 7U}) {
        const Use use{Name(&name), index};
        EXPECT_FALSE(map.contains(use));
        EXPECT_TRUE(map.add(use, count));
        EXPECT_FALSE(map.add(use, -1));
        EXPECT_EQ(*map.find(use), count++);
      }
    count = 0;
    for (const std::string_view& name : names)
      for (const std::uint32_t index : {0U, 1U, 7U}) EXPECT_EQ(*map.find({Name(&name), index}), count++);
    EXPECT_EQ(map.find({Name(&names[0]), 2}), nullptr);
    map.set({Name(&names[3]), 1}, 5);
    map.set({Name(&names[3]), 2}, 6);
    EXPECT_EQ(*map.find({Name(&names[3]), 1}), 5);
    EXPECT_EQ(*map.find({Name(&names[3]), 2}), 6);
    const UseMap<int> copy = map;
    EXPECT_EQ(*copy.find({Name(&names[3]), 2}), 6);
  }
}

}  // namespace
}  // namespace weft::ir::text
