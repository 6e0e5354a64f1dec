// Merging nodes of random programs never creates a cycle, and is refused only if it would.
#include <weft/compiler/plan/merge_order.h>

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace weft::compiler {
namespace {

using Edges = MergeOrder::Edges;

// A reference that finds indirect paths between units after merges by trying all paths.
struct Plain {
  const Edges& users;
  std::vector<std::uint32_t> unit;  // by node

  bool reaches(std::uint32_t from, std::uint32_t to, bool directly, std::vector<bool>& seen) const {
    for (std::uint32_t node = 0; node < unit.size(); ++node) {
      if (unit[node] != from) continue;
      for (const std::uint32_t user : users[node]) {
        const std::uint32_t next = unit[user];
        if (next == from || seen[next]) continue;
        if (next == to) {
          if (directly) return true;
          continue;
        }
        seen[next] = true;
        if (reaches(next, to, true, seen)) return true;
      }
    }
    return false;
  }
  bool path_around(std::uint32_t producer, std::uint32_t consumer) const {
    std::vector<bool> seen(unit.size());
    return reaches(unit[producer], unit[consumer], false, seen);
  }
  void merge(std::uint32_t producer, std::uint32_t consumer) {
    std::ranges::replace(unit, std::uint32_t{unit[consumer]}, std::uint32_t{unit[producer]});
  }
};

TEST(MergeOrder, RefusesWhatWouldCloseACircleAndNothingElse) {
  int merged = 0, refused = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 draw(seed);
    const std::uint32_t count = 3 + draw() % 40;
    Edges needs(count), users(count);
    for (std::uint32_t i = 1; i < count; ++i)
      for (unsigned edge = 0; edge < 1 + seed % 3; ++edge)
        if (const std::uint32_t from = draw() % i; std::ranges::find(needs[i], from) == needs[i].end()) {
          needs[i].push_back(from);
          users[from].push_back(i);
        }
    Plain plain{users, {}};
    for (std::uint32_t i = 0; i < count; ++i) plain.unit.push_back(i);
    MergeOrder order(needs, users);
    for (unsigned attempt = 0; attempt < 6 * count; ++attempt) {
      const std::uint32_t consumer = draw() % count;
      if (needs[consumer].empty()) continue;
      const std::uint32_t producer = needs[consumer][draw() % needs[consumer].size()];
      if (plain.unit[producer] == plain.unit[consumer]) continue;
      const bool circle = plain.path_around(producer, consumer);
      ASSERT_EQ(order.path_around(producer, consumer), circle) << "seed " << seed << ", attempt " << attempt;
      ++(circle ? refused : merged);
      if (circle || draw() % 2) continue;
      plain.merge(producer, consumer);
      order.merge(producer, consumer);
    }
  }
  EXPECT_GT(merged, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace weft::compiler
