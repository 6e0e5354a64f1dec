// Meshes, shardings and shards as values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/shards.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Mesh grid{{"data", 4}, {"model", 2}};

TEST(Mesh, NumbersDevicesInRowMajorOrder) {
  EXPECT_EQ(grid.devices(), 8);
  EXPECT_EQ(grid.axis("model"), 1);
  EXPECT_EQ(grid.coordinate(5, 0), 2);
  EXPECT_EQ(grid.coordinate(5, 1), 1);
  EXPECT_EQ(concat(grid), "data=4, model=2");
  EXPECT_EQ(Mesh().devices(), 1);
  EXPECT_EQ(grid, (Mesh{{"data", 4}, {"model", 2}}));
  EXPECT_FALSE(grid == (Mesh{{"model", 4}, {"data", 2}}));
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  EXPECT_THAT(
      [] {
        std::vector<Mesh::Axis> many;
        for (int i = 0; i < 65; ++i) many.push_back({concat("x", i), 1});
        Mesh mesh(many);
      },
      ThrowsMessage<Error>(HasSubstr("65 axes, a mesh has at most 64")));
  EXPECT_THAT([] { Mesh({{"x", 2}, {"x", 4}}); }, ThrowsMessage<Error>(HasSubstr("two axes are named 'x'")));
  EXPECT_THAT([] { Mesh({{"x", 0}}); }, ThrowsMessage<Error>(HasSubstr("axis 'x' has size 0")));
  EXPECT_THAT([] { Mesh({{"", 2}}); }, ThrowsMessage<Error>(HasSubstr("has no name")));
  EXPECT_THAT([] { Mesh({{"x", 1 << 20}, {"y", 2}}); }, ThrowsMessage<Error>(HasSubstr("more than 1048576 devices")));
  EXPECT_THAT([] { grid.axis("batch"); },
              ThrowsMessage<Error>(HasSubstr("the mesh (data=4, model=2) has no axis 'batch'")));
}

TEST(Sharding, SplitsDimensions) {
  const Sharding both(grid, {{0, 1}, {}});
  EXPECT_EQ(both.local_type(Type(DType::f32, {16, 3})), Type(DType::f32, {2, 3}));
  EXPECT_EQ(both.shard(0, 5), 5);
  const Sharding swapped(grid, {{1, 0}});
  EXPECT_EQ(swapped.shard(0, 5), 1 * 4 + 2);
  EXPECT_EQ(concat(Sharding(grid, {{0}, {}}, {{1, Reduction::sum}})), R"([{"data"}, {}], unreduced={"model"})");
  EXPECT_EQ(concat(Sharding(grid, {{}}, {{1, Reduction::max}})), R"([{}], unreduced={"model":max})");
  EXPECT_TRUE(Sharding(grid, 3).is_replicated());
  EXPECT_FALSE(both.is_replicated());
}

TEST(Sharding, RefusesWhatDoesNotDivideAndAxesUsedTwice) {
  EXPECT_THAT(
      [] { Sharding(grid, {{0}, {}}).local_type(Type(DType::f32, {10, 3})); },
      ThrowsMessage<Error>(testing::AllOf(HasSubstr("dimension 0 of tensor<10x3xf32>"), HasSubstr("8 and 12"))));
  EXPECT_THAT([] { Sharding(grid, {{0}, {0}}); }, ThrowsMessage<Error>(HasSubstr("axis 'data' is used twice")));
  EXPECT_THAT([] { Sharding(grid, {{0}}, {{0, Reduction::sum}}); },
              ThrowsMessage<Error>(HasSubstr("axis 'data' is used twice")));
  EXPECT_THAT([] { Sharding(grid, {{0}}).local_type(Type(DType::f32, {4, 4})); },
              ThrowsMessage<Error>(HasSubstr("has 1 dimensions")));
}

Array numbered(Type type) {
  Array array(type);
  std::ranges::generate(array.data<std::int32_t>(), [n = 0]() mutable { return n++; });
  return array;
}

TEST(Shards, AreSlicesOfTheWhole) {
  const Array whole = numbered(Type(DType::i32, {4, 4}));
  const auto shards = shards_of(whole, Sharding(grid, {{1}, {0}}));
  ASSERT_EQ(shards.size(), 8u);
  EXPECT_EQ(shards[0], Array::of<std::int32_t>({2, 1}, {0, 4}));
  EXPECT_EQ(shards[5], Array::of<std::int32_t>({2, 1}, {10, 14}));  // row half 1, column 2
}

TEST(Shards, AssembleToTheWhole) {
  const Type type(DType::i32, {8, 2, 4});
  const Array whole = numbered(type);
  for (const Sharding& sharding : {Sharding(grid, 3), Sharding(grid, {{0}, {1}, {}}), Sharding(grid, {{0, 1}, {}, {}}),
                                   Sharding(grid, {{1}, {}, {0}}), Sharding(grid, {{0}, {}, {}}, {{1, Reduction::sum}}),
                                   Sharding(grid, {{}, {}, {}}, {{0, Reduction::min}, {1, Reduction::min}})})
    EXPECT_EQ(assemble(shards_of(whole, sharding), sharding, type), whole) << sharding;
}

TEST(Shards, ThatShouldBeEqualMustBe) {
  const Sharding replicated(Mesh{{"x", 2}}, 1);
  const std::vector<Array> shards{Array::of<float>({2}, {1, 2}), Array::of<float>({2}, {1, 3})};
  EXPECT_THAT([&] { assemble(shards, replicated, shards[0].type()); },
              ThrowsMessage<Error>(HasSubstr("devices 0 and 1 hold different elements at position 1")));
  const Sharding partial(Mesh{{"x", 2}}, {{}}, {{0, Reduction::sum}});
  EXPECT_EQ(assemble(shards, partial, shards[0].type()), Array::of<float>({2}, {2, 5}));
}

}  // namespace
}  // namespace weft::ir
