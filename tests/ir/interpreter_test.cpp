// Tests the executor, control ops and opaque ops. ops.h asserts that every op has a rule.
#include <weft/ir/interpreter.h>

#include <tests/ir/evaluate.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using I32 = std::int32_t;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Type scalar_i32(DType::i32, {});

TEST(Interpreter, ReturnsInputsRepeatedAndUnusedValues) {
  const Array x = Array::of<I32>({2}, {1, 2});
  const auto outputs = evaluate_all({x, x}, [](Graph&, auto in) {
    const Value sum = in[0] + in[0];
    static_cast<void>(sum * sum);
    return std::vector{in[1], sum, sum};
  });
  EXPECT_EQ(outputs[0], x);
  EXPECT_EQ(outputs[1], Array::of<I32>({2}, {2, 4}));
  EXPECT_EQ(outputs[2], outputs[1]);
}

TEST(Interpreter, ReadsAValueAfterOtherResultsOfItsNodeDied) {
  const Array x = Array::of<I32>({2}, {1, 2});
  EXPECT_EQ(evaluate({x},
                     [](Graph&, auto in) {
                       const auto held = optimization_barrier(std::vector{in[0], in[0] * in[0]});
                       const Value first = held[0] + held[0];
                       return first + held[1];
                     }),
            Array::of<I32>({2}, {3, 8}));
}

TEST(Interpreter, RefusesInputsThatDoNotMatch) {
  Graph graph;
  const Value x = graph.add_input(Type(DType::f32, {2}));
  graph.set_outputs({exponential(x)});
  EXPECT_THAT([&] { interpret(graph, {}); }, ThrowsMessage<Error>(HasSubstr("main takes 1 inputs, got 0")));
  const std::vector<Array> wrong{Array(Type(DType::f32, {3}))};
  EXPECT_THAT([&] { interpret(graph, wrong); },
              ThrowsMessage<Error>(HasSubstr("input 0 of main is tensor<2xf32>, got tensor<3xf32>")));
  EXPECT_THAT([&] { interpret_node(*graph.outputs()[0].node, wrong); },
              ThrowsMessage<Error>(HasSubstr("operand 0 of exponential")));
}

TEST(Interpreter, RefusesSizesThatAreNotKnown) {
  Graph graph;
  graph.set_outputs({constant(graph, Type(DType::f32, {Dim::symbol("n")}), 0)});
  EXPECT_THAT([&] { interpret(graph, {}); }, ThrowsMessage<Error>(HasSubstr("whose size is unknown")));
}

TEST(Interpreter, EvaluatesOneNode) {
  Graph graph;
  const Value x = graph.add_input(Type(DType::f32, {2}));
  const Value sum = x + x;
  EXPECT_EQ(interpret_node(*sum.node, std::vector(2, Array::of<float>({2}, {1, 2})))[0], Array::of<float>({2}, {2, 4}));
  EXPECT_EQ(interpret_node(*constant(graph, scalar_i32, 3).node, {})[0], Array::scalar<I32>(3));
}

TEST(Control, WhileLoops) {
  const auto below_ten = make_graph(std::vector{scalar_i32, scalar_i32}, [](Graph&, auto in) {
    return std::vector{compare(in[0], constant_like(in[0], 10), Direction::LT)};
  });
  const auto step = make_graph(std::vector{scalar_i32, scalar_i32},
                               [](Graph&, auto in) { return std::vector{in[0] + 1, in[1] + in[0]}; });
  const auto run = [&](I32 from) {
    return evaluate_all({Array::scalar<I32>(from), Array::scalar<I32>(0)},
                        [&](Graph&, auto in) { return while_(in, below_ten, step); });
  };
  EXPECT_EQ(run(0)[0], Array::scalar<I32>(10));
  EXPECT_EQ(run(0)[1], Array::scalar<I32>(45));
  EXPECT_EQ(run(11)[0], Array::scalar<I32>(11));
}

std::shared_ptr<const Graph> plus(double n) {
  return make_graph(std::vector{scalar_i32}, [&](Graph&, auto in) { return std::vector{in[0] + n}; });
}

TEST(Control, IfTakesOneBranch) {
  const auto chosen = [](bool predicate) {
    return evaluate({Array::scalar<bool>(predicate), Array::scalar<I32>(1)},
                    [](Graph&, auto in) { return if_(in[0], in.subspan(1), plus(10), plus(20)); });
  };
  EXPECT_EQ(chosen(true), Array::scalar<I32>(11));
  EXPECT_EQ(chosen(false), Array::scalar<I32>(21));
}

TEST(Control, CaseTakesTheLastBranchOutOfRange) {
  const std::vector branches{plus(10), plus(20), plus(30)};
  const auto chosen = [&](I32 index) {
    return evaluate({Array::scalar<I32>(index), Array::scalar<I32>(1)},
                    [&](Graph&, auto in) { return case_(in[0], in.subspan(1), branches); });
  };
  EXPECT_EQ(chosen(0), Array::scalar<I32>(11));
  EXPECT_EQ(chosen(1), Array::scalar<I32>(21));
  for (const I32 index : {2, 3, -1}) EXPECT_EQ(chosen(index), Array::scalar<I32>(31));
}

TEST(Control, CompositeIsItsDecomposition) {
  EXPECT_EQ(evaluate({Array::scalar<I32>(1)}, [](Graph&, auto in) { return composite("weft.plus", in, plus(4)); }),
            Array::scalar<I32>(5));
}

TEST(RngBitGenerator, FollowsTheSpecificationsExample) {
  const auto results = evaluate_all({Array::of<std::uint64_t>({2}, {1, 2})}, [](Graph&, auto in) {
    return rng_bit_generator(in[0], Type(DType::u64, {2, 2}), RngAlgorithm::THREE_FRY);
  });
  EXPECT_EQ(results[0], Array::of<std::uint64_t>({2}, {1, 6}));
  EXPECT_EQ(results[1], Array::of<std::uint64_t>({2, 2}, {9236835810183407956u, 16087790271692313299u,
                                                          18212823393184779219u, 2658481902456610144u}));
}

TEST(RngBitGenerator, GivesWhatXlaGives) {
  // Three rows of two numbers from the state {0, 0}, as printed by XLA's CPU backend with five digits.
  const auto results = evaluate_all({Array(Type(DType::u64, {2}))}, [](Graph&, auto in) {
    return rng_bit_generator(in[0], Type(DType::u32, {3, 2}), RngAlgorithm::THREE_FRY);
  });
  EXPECT_EQ(results[0], Array::of<std::uint64_t>({2}, {0, 3}));
  const double printed[] = {1.7973e9, 2.5791e9, 1.3515e9, 3.2358e9, 1.6886e9, 4.2293e9};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(results[1].element(i), printed[i], 5e4);
}

TEST(RngBitGenerator, CutsWordsForNarrowTypesAndKeepsTheStatesLayout) {
  const auto bits = [](const Array& state, DType dtype, RngAlgorithm algorithm) {
    return evaluate_all({state},
                        [&](Graph&, auto in) { return rng_bit_generator(in[0], Type(dtype, {5}), algorithm); });
  };
  const Array two = Array::of<std::uint64_t>({2}, {3, 4}), three = Array::of<std::uint64_t>({3}, {3, 4, 3});
  for (const RngAlgorithm algorithm : {RngAlgorithm::THREE_FRY, RngAlgorithm::PHILOX}) {
    const auto words = bits(two, DType::u32, algorithm), halves = bits(two, DType::i16, algorithm);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(halves[1].data<std::int16_t>()[i], static_cast<std::int16_t>(words[1].data<std::uint32_t>()[i]));
    EXPECT_EQ(halves[0], words[0]);
  }
  EXPECT_EQ(bits(two, DType::u32, RngAlgorithm::PHILOX)[0], Array::of<std::uint64_t>({2}, {3, 6}));
  EXPECT_EQ(bits(three, DType::u32, RngAlgorithm::PHILOX)[0], Array::of<std::uint64_t>({3}, {3, 6, 3}));
  EXPECT_EQ(bits(three, DType::u32, RngAlgorithm::PHILOX)[1], bits(two, DType::u32, RngAlgorithm::DEFAULT)[1]);
}

}  // namespace
}  // namespace weft::ir
