#include <weft/base/short_list.h>

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::ElementsAre;
using List = ShortList<int, 2>;

// A list of so many numbers from 0.
List counted(int size) {
  List list;
  for (int i = 0; i < size; ++i) list.push_back(i);
  return list;
}

std::vector<int> items(const List& list) { return {list.begin(), list.end()}; }

// Lists in place and on the heap.
TEST(ShortList, CopiesAndMoves) {
  for (const int size : {0, 1, 2, 3, 9}) {
    SCOPED_TRACE(size);
    std::vector<int> expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    const List list = counted(size);
    EXPECT_EQ(items(list), expected);
    for (const int other : {0, 2, 5}) {
      List copy = counted(other);
      copy = list;
      EXPECT_EQ(copy, list);
      List moved = counted(other);
      moved = std::move(copy);
      EXPECT_EQ(moved, list);
      const List made(std::move(moved));
      EXPECT_EQ(made, list);
      EXPECT_TRUE(moved.empty());  // NOLINT: a list is empty after it was moved
      moved.push_back(7);
      EXPECT_THAT(items(moved), ElementsAre(7));
    }
  }
}

TEST(ShortList, ChangesLikeAVector) {
  List list{4, 5};
  list.insert(list.begin() + 1, 6);
  EXPECT_THAT(items(list), ElementsAre(4, 6, 5));
  list.append(std::vector{7, 8});
  EXPECT_THAT(items(list), ElementsAre(4, 6, 5, 7, 8));
  list.resize(2);
  list.resize(4, 9);
  EXPECT_THAT(items(list), ElementsAre(4, 6, 9, 9));
  EXPECT_EQ(list.back(), 9);
  list.clear();
  list.reserve(100);
  EXPECT_TRUE(list.empty());
  list = list;  // NOLINT: assigned to itself
  EXPECT_EQ(list, List());
}

}  // namespace
}  // namespace weft
