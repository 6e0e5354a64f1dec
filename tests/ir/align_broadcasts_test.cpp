#include <weft/ir/align_broadcasts.h>

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/general.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

constexpr std::array<std::int64_t, 2> in_order{0, 1};

// a [rows, 4] + b [1, 4] and the negated sum, as recorded by a front end that broadcasts only dimensions that differ.
std::shared_ptr<const Graph> sum_of(std::int64_t rows, std::int64_t other_rows = 1) {
  const Type a(DType::f32, {Dim(rows), Dim(4)}), b(DType::f32, {Dim(other_rows), Dim(4)});
  return make_graph(std::vector{a, b}, [&](Graph&, std::span<const Value> in) {
    const Type both = rows > other_rows ? a : b;
    const Value x = a == both ? in[0] : broadcast_in_dim(in[0], both, in_order);
    const Value y = b == both ? in[1] : broadcast_in_dim(in[1], both, in_order);
    const Value sum = add(x, y);
    return std::vector{sum, negate(sum)};
  });
}

TEST(AlignBroadcasts, GivesARowTheBroadcastOfSeveral) {
  const auto one = sum_of(1), three = sum_of(3);
  EXPECT_EQ(one->nodes().size() + 1, three->nodes().size());
  EXPECT_EQ(fingerprint_without_sizes(*one, one->outputs()), fingerprint_without_sizes(*three, three->outputs()));
  const auto aligned = align_broadcasts(one, *three);
  ASSERT_TRUE(aligned);
  ASSERT_EQ(aligned->nodes().size(), three->nodes().size());
  for (std::size_t i = 0; i < aligned->nodes().size(); ++i)
    EXPECT_EQ(aligned->nodes()[i]->op, three->nodes()[i]->op) << i;
  for (const Value output : aligned->outputs()) EXPECT_EQ(output.type(), Type(DType::f32, {Dim(1), Dim(4)}));
  EXPECT_EQ(align_broadcasts(three, *sum_of(5)), three) << "it has these nodes";
}

TEST(AlignBroadcasts, ThatAreInOtherPlacesCannotBeAligned) {
  const auto first = sum_of(3, 1), second = sum_of(1, 3);
  EXPECT_EQ(fingerprint_without_sizes(*first, first->outputs()), fingerprint_without_sizes(*second, second->outputs()));
  EXPECT_FALSE(align_broadcasts(first, *second));
  EXPECT_FALSE(align_broadcasts(second, *first));
  EXPECT_FALSE(align_broadcasts(first, *sum_of(1))) << "nothing is taken away";
}

TEST(AlignBroadcasts, OneProgramIsForOneAndForSeveral) {
  const std::vector<std::shared_ptr<const Graph>> samples{sum_of(5), align_broadcasts(sum_of(1), *sum_of(5))};
  const General general = generalise(samples);
  for (const std::int64_t rows : {1, 2, 7}) {
    const auto graph = align_broadcasts(sum_of(rows), *general.sample);
    ASSERT_TRUE(graph);
    const auto found = match(general, *graph, graph->outputs());
    ASSERT_TRUE(found) << found.reason();
    EXPECT_EQ(found->symbols, std::vector{rows});
  }
}

}  // namespace
}  // namespace weft::ir
