// Tests type rules of all ops: operand counts, regions and unknown sizes; also those of control ops and random bits.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, RefusesWrongNumbersOfOperandsRegionsAndTypes) {
  expect_refused(ops::add, {{"expected 2 operands, got 1", {scalar}, [](Graph& g, auto x) {
                               return std::vector{g.append(ops::add, x).result()};
                             }}});
  expect_refused(ops::reduce, {{"expected 1 regions, got 0", {scalar, scalar}, [](Graph& g, auto x) {
                                  return std::vector{g.append(ops::reduce, x).result()};
                                }}});
  expect_refused(ops::reshape, {{"the result type must be given", {scalar}, [](Graph& g, auto x) {
                                   return std::vector{g.append(ops::reshape, x).result()};
                                 }}});
  expect_refused(ops::add, {{"the result is tensor<f32>, not tensor<i1>", {scalar, scalar}, [](Graph& g, auto x) {
                               return std::vector{g.append(ops::add, x, nullptr, std::span(&predicate, 1)).result()};
                             }}});
}

TEST(TypeRule, IdentitiesAppendNothing) {
  Graph graph;
  const Value x = graph.add_input(f32({2, 3}));
  EXPECT_EQ(convert(x, DType::f32), x);
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_EQ(transpose(x, Dims{0, 1}), x);
  EXPECT_EQ(broadcast(x, x.type()), x);
  EXPECT_EQ(reduce_sum(x, {}), x);
  EXPECT_EQ(graph.nodes().size(), 1u);
}

TEST(TypeRule, OfControl) {
  const auto twice = make_graph(std::span(&scalar, 1), [](Graph&, auto x) { return std::vector{x[0] + x[0]}; });
  const auto positive = make_graph(std::span(&scalar, 1), [](Graph&, auto x) {
    return std::vector{compare(x[0], constant_like(x[0], 0), Direction::GT)};
  });
  EXPECT_EQ(inferred({scalar}, [&](Graph&, auto x) { return while_(x, positive, twice); }), std::vector{scalar});
  expect_refused(
      ops::while_,
      {{"region 0 returns [tensor<f32>], expected [tensor<i1>]",
        {scalar},
        [&](Graph&, auto x) { return while_(x, twice, twice); }},
       {"region 1 returns [tensor<i1>], expected [tensor<f32>]",
        {scalar},
        [&](Graph&, auto x) { return while_(x, positive, positive); }},
       {"region 0 takes [tensor<f32>]", {index}, [&](Graph&, auto x) { return while_(x, positive, twice); }}});
  EXPECT_EQ(inferred({predicate, scalar}, [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, twice); }),
            std::vector{scalar});
  expect_refused(ops::if_, {{"region 1 returns [tensor<i1>], expected [tensor<f32>]",
                             {predicate, scalar},
                             [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, positive); }},
                            {"expected a predicate tensor<i1>",
                             {index, scalar},
                             [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, twice); }},
                            {"region 0 takes [tensor<f32>], expected []", {predicate}, [&](Graph&, auto x) {
                               return if_(x[0], {}, twice, twice);
                             }}});
  expect_refused(ops::case_, {{"expected an index tensor<i32>",
                               {predicate, scalar},
                               [&](Graph&, auto x) { return case_(x[0], x.subspan(1), std::array{twice}); }},
                              {"expected at least one branch", {index, scalar}, [&](Graph&, auto x) {
                                 return case_(x[0], x.subspan(1), {});
                               }}});
  expect_refused(ops::composite,
                 {{"the name must be of the form namespace.name",
                   {scalar},
                   [&](Graph&, auto x) { return composite("", x, twice); }},
                  {"region 0 takes", {index}, [&](Graph&, auto x) { return composite("weft.twice", x, twice); }}});
}

TEST(TypeRule, OfRngBitGenerator) {
  const auto bits = [](Type type, RngAlgorithm how) {
    return [=](Graph&, std::span<const Value> x) { return rng_bit_generator(x[0], type, how); };
  };
  const Type two(DType::u64, {2}), three(DType::u64, {3}), wanted(DType::u32, {5});
  EXPECT_EQ(inferred({three}, bits(wanted, RngAlgorithm::PHILOX)), (std::vector{three, wanted}));
  expect_refused(
      ops::rng_bit_generator,
      {{"the state must have 2 elements, got tensor<3xui64>", {three}, bits(wanted, RngAlgorithm::THREE_FRY)},
       {"is not defined for i32", {i32({2})}, bits(wanted, RngAlgorithm::DEFAULT)},
       {"bits must be integers", {two}, bits(scalar, RngAlgorithm::DEFAULT)}});
}

// Unknown sizes are compared by identity.
TEST(TypeRule, OfSymbolicSizes) {
  const Dim batch = Dim::symbol("batch", 1), other = Dim::symbol("other", 1);
  const Dims last{1}, first{0};
  EXPECT_EQ(inferred({f32({batch, 3}), f32({3, 4})},
                     returns([&](auto x) { return dot_general(x[0], x[1], {{}, {}, last, first}); })),
            std::vector{f32({batch, 4})});
  EXPECT_EQ(inferred({f32({batch, 3})}, returns([&](auto x) { return reduce_sum(x[0], first); })),
            std::vector{f32({3})});
  EXPECT_EQ(inferred({f32({batch, 6})}, returns([&](auto x) { return reshape(x[0], {batch * 2, 3}); })),
            std::vector{f32({batch * 2, 3})});
  EXPECT_EQ(inferred({f32({batch}), f32({other})}, returns([&](auto x) { return concatenate(x, 0); })),
            std::vector{f32({batch + other})});
  EXPECT_EQ(
      inferred({f32({batch}), scalar}, returns([&](auto x) { return pad(x[0], x[1], Dims{-1}, Dims{2}, Dims{1}); })),
      std::vector{f32({batch * 2})});
  EXPECT_EQ(inferred({f32({7, 3}), i32({batch})}, returns([&](auto x) {
                       const Dims row{1, 3};
                       return gather(x[0], x[1], {last, first, {}, {}, first, 1, row, false});
                     })),
            std::vector{f32({batch, 3})});
  expect_refused(ops::pad, {{"may be too small for a padding of -2", {f32({batch}), scalar}, returns([](auto x) {
                               return pad(x[0], x[1], Dims{-2}, Dims{0}, Dims{0});
                             })}});
  expect_refused(ops::slice, {{"is not inside dimension 0 of size batch", {f32({batch})}, returns([](auto x) {
                                 return slice(x[0], Dims{0}, Dims{2}, Dims{1});
                               })}});
  expect_refused(ops::add, {{"one type", {f32({batch}), f32({other})}, returns([](auto x) { return x[0] + x[1]; })}});
  expect_refused(ops::reshape, {{"the numbers of elements differ", {f32({batch, 6})}, returns([&](auto x) {
                                   return reshape(x[0], {other, 6});
                                 })}});
}

}  // namespace
}  // namespace weft::ir
