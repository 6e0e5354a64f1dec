// The letters of nodes.
#include <weft/ir/factors.h>

#include <tests/ir/type_rule.h>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>

namespace weft::ir {
namespace {

// Returns the text of the factors of the node that `build` returns a value of.
template <class Build>
std::string factors(std::initializer_list<Type> types, Build&& build) {
  Graph graph;
  std::vector<Value> inputs;
  for (const Type type : types) inputs.push_back(graph.add_input(type));
  return concat(factors_of(*build(inputs).node));
}

TEST(Factors, OfElementwiseOps) {
  EXPECT_EQ(factors({f32({2, 3}), f32({2, 3})}, [](auto in) { return add(in[0], in[1]); }), "ab,ab->ab");
  EXPECT_EQ(
      factors({Type(DType::boolean, {}), f32({2}), f32({2})}, [](auto in) { return select(in[0], in[1], in[2]); }),
      ",a,a->a");
}

std::string of_reshape(std::initializer_list<Dim> from, std::initializer_list<Dim> to) {
  return factors({f32(from)}, [&](auto in) { return reshape(in[0], to); });
}

TEST(Factors, OfReshapes) {
  EXPECT_EQ(of_reshape({2, 3, 4}, {6, 4}), "abc->(ab)c");
  EXPECT_EQ(of_reshape({4, 3}, {2, 2, 3}), "(ab)c->abc");
  EXPECT_EQ(of_reshape({6, 4}, {8, 3}), "ab->cd (a whole, b whole, c whole, d whole)");
  EXPECT_EQ(of_reshape({1, 5}, {5}), "1a->a");
  EXPECT_EQ(of_reshape({2, 3}, {2, 1, 3}), "ab->a1b");
  EXPECT_EQ(of_reshape({12}, {2, 6}), "(ab)->ab");
  EXPECT_EQ(of_reshape({0, 3}, {0, 5}), "ab->ac (b whole, c whole)");
}

TEST(Factors, OfShapeOps) {
  EXPECT_EQ(factors({f32({1, 3})},
                    [](auto in) { return broadcast_in_dim(in[0], f32({2, 4, 3}), std::array<std::int64_t, 2>{1, 2}); }),
            "1a->bca");
  EXPECT_EQ(factors({f32({2, 3})}, [](auto in) { return transpose(in[0], std::array<std::int64_t, 2>{1, 0}); }),
            "ab->ba");
  EXPECT_EQ(factors({f32({2, 3}), f32({2, 1})}, [](auto in) { return concatenate(in, 1); }),
            "ab,a1->ac (b whole, c whole)");
  EXPECT_EQ(factors({f32({2, 3})}, [](auto in) { return reverse(in[0], std::array<std::int64_t, 1>{1}); }),
            "ab->ac (b whole, c whole)");
}

TEST(Factors, OfSums) {
  EXPECT_EQ(factors({f32({2, 3})}, [](auto in) { return reduce_sum(in[0], std::array<std::int64_t, 1>{1}); }),
            "ab,->a (b sum)");
  EXPECT_EQ(factors({f32({2, 3})}, [](auto in) { return reduce_max(in[0], std::array<std::int64_t, 1>{0}); }),
            "ab,->b (a max)");
  EXPECT_EQ(factors({f32({2, 3})}, [](auto in) { return reduce_product(in[0], std::array<std::int64_t, 1>{0}); }),
            "ab,->b (a whole)");
  const std::int64_t zero = 0, one = 1, two = 2;
  const DotAttributes dims{.lhs_batching = {&zero, 1},
                           .rhs_batching = {&zero, 1},
                           .lhs_contracting = {&two, 1},
                           .rhs_contracting = {&one, 1}};
  EXPECT_EQ(factors({f32({5, 2, 3}), f32({5, 3, 4})}, [&](auto in) { return dot_general(in[0], in[1], dims); }),
            "abc,acd->abd (c sum)");
}

TEST(Factors, AShardingNeedsItsMajorFactorsComplete) {
  Graph graph;
  const Value x = graph.add_input(f32({4, 3}));
  const Node& node = *reshape(x, {Dim(12)}).node;
  const Factors f = factors_of(node);
  const Mesh mesh{{"x", 2}, {"y", 2}, {"z", 3}};
  FactorAxes axes(f.all.size());
  const int major = f.operands[0][0][0], minor = f.operands[0][1][0];
  axes[minor] = {2};
  EXPECT_FALSE(f.result_sharding(0, mesh, axes));
  axes[major] = {0};
  EXPECT_FALSE(f.result_sharding(0, mesh, axes));
  axes[major] = {0, 1};
  EXPECT_EQ(f.result_sharding(0, mesh, axes), Sharding(mesh, {{0, 1, 2}}));
  EXPECT_EQ(f.operand_sharding(0, node, mesh, axes), Sharding(mesh, {{0, 1}, {2}}));
  EXPECT_EQ(f.axes_of_result(0, Sharding(mesh, {{0, 1, 2}})), axes);
  EXPECT_FALSE(f.axes_of_result(0, Sharding(mesh, {{2}})));  // 4 does not divide by 3
}

}  // namespace
}  // namespace weft::ir
