// Tests which sizes of general graphs follow from the sizes of samples, and which do not.
#include <weft/ir/general.h>

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/builder.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;

// Multiplies n elements by the last n of m others.
std::shared_ptr<const Graph> product_with_last(std::int64_t n, std::int64_t m) {
  return make_graph(std::vector{Type(DType::f32, {n}), Type(DType::f32, {m})}, [&](Graph&, std::span<const Value> in) {
    return std::vector{in[0] * slice(in[1], std::vector{m - n}, std::vector{m}, std::vector<std::int64_t>{1})};
  });
}

std::shared_ptr<const Graph> unrelated(std::int64_t n, std::int64_t m) {
  return make_graph(std::vector{Type(DType::f32, {n}), Type(DType::f32, {m})},
                    [](Graph&, std::span<const Value> in) { return std::vector{in[0] + in[0], in[1] + in[1]}; });
}

General of(std::vector<std::shared_ptr<const Graph>> samples) { return generalise(samples); }

bool fits(const General& general, const Graph& graph) { return match(general, graph, graph.outputs()).ok(); }

std::vector<std::string> broken(const General& general, const Graph& graph) {
  std::vector<std::string> texts;
  for (const SizeRelation& relation : broken_relations(general, graph))
    texts.push_back(relation.text([](std::size_t input) { return "input " + std::to_string(input); }));
  return texts;
}

TEST(General, SizesAsFarApartInAllSamplesFollowFromOneAnother) {
  const General general = of({product_with_last(8, 9), product_with_last(5, 6)});
  EXPECT_EQ(general.symbols.size(), 1u);
  EXPECT_TRUE(fits(general, *product_with_last(1, 2)));
  EXPECT_TRUE(fits(general, *product_with_last(300, 301)));
  EXPECT_THAT(broken(general, *product_with_last(300, 301)), ElementsAre());
  EXPECT_FALSE(fits(general, *product_with_last(5, 7)));
  EXPECT_THAT(broken(general, *product_with_last(5, 7)),
              ElementsAre("dimension 0 of input 1 was dimension 0 of input 0 + 1"));
}

TEST(General, SizesThatNeedNotAreUnrelatedHoweverFarApart) {
  const General general = of({unrelated(8, 9), unrelated(5, 6)});
  EXPECT_EQ(general.symbols.size(), 2u);
  EXPECT_TRUE(fits(general, *unrelated(5, 7)));
}

TEST(General, AllBrokenRelationsAreTold) {
  const General general = of({unrelated(4, 8), unrelated(5, 10)});
  EXPECT_THAT(broken(general, *unrelated(5, 11)),
              ElementsAre("dimension 0 of input 1 was 2 times dimension 0 of input 0"));
  EXPECT_FALSE(fits(general, *unrelated(5, 11)));
}

}  // namespace
}  // namespace weft::ir
