// Programs divided among the devices of a mesh: what they compute, and what they send.
#include <tests/compiler/spmd/divided.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {
namespace {

using ir::Mesh;
using ir::Sharding;
using ir::Value;
using testing::ElementsAre;
using Axes = Sharding::Axes;

TEST(Partition, ElementwiseProgramsSendNothing) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(grid, {{0, 1}, {}})),
              y = p.input(f32({16, 4}), Sharding(grid, {{0, 1}, {}}));
  p.graph.set_outputs({ir::add(ir::multiply(x, y), ir::constant_like(x, 3))});
  EXPECT_THAT(expect_same(p, grid), ElementsAre());
}

TEST(Partition, DevicesDrawTheBitsOfTheirRows) {
  ShardedProgram p;
  const Value x = p.input(Type(DType::u32, {16, 4}), Sharding(eight, {{0}, {}})),
              state = p.input(Type(DType::u64, {2}), Sharding(eight, 1));
  const Value bits = ir::rng_bit_generator(state, x.type(), ir::RngAlgorithm::PHILOX)[1];
  p.graph.set_outputs({ir::xor_(x, bits)});
  EXPECT_THAT(expect_same(p, eight), ElementsAre());
  const Partitioned divided = partition(p.graph, eight, p.shardings);
  const auto draws = [](const ir::Node* node) { return node->op == &ir::ops::rng_bit_generator; };
  EXPECT_EQ((*std::ranges::find_if(divided.graph->nodes(), draws))->type(1), Type(DType::u32, {2, 4}));
}

TEST(Partition, OriginsOfSizesNameTheMesh) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(grid, {{0, 1}, {}}));
  p.graph.set_outputs({ir::reshape(ir::abs(x), {8, 8})});
  p.graph.input_names = {"images"};
  const runtime::ProgramDescription description =
      compile_for_mesh(partition(p.graph, grid, p.shardings), {})->describe();
  std::vector<std::string> origins;
  for (const runtime::Instruction& instruction : description.entry()->instructions)
    origins.insert(origins.end(), instruction.dims.begin(), instruction.dims.end());
  EXPECT_THAT(origins, testing::Contains("images dim 0 (16) / data 4 / model 2"));
  EXPECT_THAT(origins, testing::Contains(testing::HasSubstr("(images dim 0 (16) / data 4 / model 2)")));
}

TEST(Partition, TheSmallerOperandIsResharded) {
  ShardedProgram p;
  const Value x = p.input(f32({8, 4}), Sharding(grid, {{0}, {}})), row = p.input(f32({4}), Sharding(grid, {{0}}));
  p.graph.set_outputs({ir::add(x, ir::broadcast(row, x.type()))});
  EXPECT_THAT(expect_same(p, grid), ElementsAre("all_gather data 12"));
}

TEST(Partition, MegatronLayersSumOncePerPair) {
  ShardedProgram p;
  const Value x = p.input(f32({8, 4}), Sharding(grid, {{0}, {}})),
              up = p.input(f32({4, 16}), Sharding(grid, {{}, {1}})),
              down = p.input(f32({16, 4}), Sharding(grid, {{1}, {}})), bias = p.input(f32({4}), Sharding(grid, 1));
  const Value hidden = ir::maximum(dot(x, up), ir::constant(p.graph, f32({8, 16}), 0));
  const Value y =
      ir::add(ir::add(dot(hidden, down), ir::broadcast(bias, x.type())), x);  // the bias and x are added once
  p.graph.set_outputs({ir::abs(y)});
  EXPECT_THAT(expect_same(p, grid), ElementsAre("all_reduce model 32"));  // 2 * 1/2 of the 2x4 rows of a device
}

TEST(Partition, TiedWeightsAreReducedOnce) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}})), w = p.input(f32({4, 4}), Sharding(eight, 2));
  const Value loss = ir::reduce_sum(ir::multiply(dot(dot(x, w), w), x), std::array<std::int64_t, 2>{0, 1});
  const Value one = ir::constant_like(loss, 1);
  const auto gradients = ir::gradient(p.graph, {{loss}}, {{one}}, {{w}});
  p.graph.set_outputs({ir::subtract(w, gradients[0] * 0.5)});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 112"));  // 2 * 7/8 of 64 bytes
}

// Momentum in the manner of ZeRO-1: the state is split, the parameters are not.
TEST(Partition, SplitStateMeansReduceScatterAndAllGather) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 8}), Sharding(eight, {{0}, {}})), w = p.input(f32({8, 8}), Sharding(eight, 2)),
              m = p.input(f32({8, 8}), Sharding(eight, {{0}, {}})),
              v = p.input(f32({8, 8}), Sharding(eight, {{0}, {}}));
  const Value loss = ir::reduce_sum(dot(x, w), std::array<std::int64_t, 2>{0, 1});
  const Value one = ir::constant_like(loss, 1);
  const Value g = ir::gradient(p.graph, {{loss}}, {{one}}, {{w}})[0];
  const Value new_m = m * 0.5 + g, new_v = v * 0.5 + ir::multiply(g, g);
  p.graph.set_outputs({w - new_m * 0.25 / (ir::abs(new_v) + 1.0), new_m, new_v});
  p.outputs = {Sharding(eight, 2), Sharding(eight, {{0}, {}}), Sharding(eight, {{0}, {}})};
  EXPECT_THAT(expect_same(p, eight),
              ElementsAre("reduce_scatter data 224", "all_gather data 224"));  // 7/8 of 256 bytes each
}

// The norm of the gradients, which limits them all, is computed from their parts: two numbers are added instead of two matrices.
TEST(Partition, TheNormOfSplitGradientsIsAddedFromParts) {
  ShardedProgram p;
  const std::array<std::int64_t, 2> both{0, 1};
  const Value x = p.input(f32({16, 8}), Sharding(eight, {{0}, {}})), w = p.input(f32({8, 8}), Sharding(eight, 2)),
              u = p.input(f32({8, 8}), Sharding(eight, 2)), m = p.input(f32({8, 8}), Sharding(eight, {{0}, {}})),
              n = p.input(f32({8, 8}), Sharding(eight, {{0}, {}}));
  const Value loss = ir::reduce_sum(ir::multiply(dot(x, w), dot(x, u)), both), one = ir::constant_like(loss, 1);
  const std::vector<Value> g = ir::gradient(p.graph, {{loss}}, {{one}}, {{w, u}});
  const Value norm = ir::reduce_sum(ir::multiply(g[0], g[0]), both) + ir::reduce_sum(ir::multiply(g[1], g[1]), both);
  const Value scale = ir::broadcast(ir::divide(ir::constant_like(norm, 1), norm + 1.0), w.type());
  p.graph.set_outputs({m * 0.5 + ir::multiply(g[0], scale), n * 0.5 + ir::multiply(g[1], scale), norm});
  p.outputs = {Sharding(eight, {{0}, {}}), Sharding(eight, {{0}, {}}), Sharding(eight, 0)};
  EXPECT_THAT(expect_same(p, eight),
              ElementsAre("reduce_scatter data 224", "reduce_scatter data 224", "all_reduce data 7"));
}

// Three projections of one weight, as in attention: their gradients become one before they are added and split.
TEST(Partition, TheGradientsOfSlicesAreJoinedBeforeTheyAreSplit) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 8}), Sharding(eight, {{0}, {}})), w = p.input(f32({24, 8}), Sharding(eight, 2)),
              m = p.input(f32({24, 8}), Sharding(eight, {{0}, {}}));
  const auto project = [&](std::int64_t part) {
    const Value rows = ir::slice(w, std::array<std::int64_t, 2>{8 * part, 0},
                                 std::array<std::int64_t, 2>{8 * part + 8, 8}, std::array<std::int64_t, 2>{1, 1});
    return dot(x, rows);
  };
  const Value loss = ir::reduce_sum(project(0) * project(1) * project(2), std::array<std::int64_t, 2>{0, 1});
  const Value one = ir::constant_like(loss, 1);
  p.graph.set_outputs({m * 0.5 + ir::abs(ir::gradient(p.graph, {{loss}}, {{one}}, {{w}})[0])});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("reduce_scatter data 672"));  // 7/8 of 768 bytes
}

TEST(Partition, TheGradientsOfATiedWeightAreAddedBeforeTheyAreSplit) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 8}), Sharding(eight, {{0}, {}})), w = p.input(f32({8, 8}), Sharding(eight, 2)),
              m = p.input(f32({8, 8}), Sharding(eight, {{0}, {}}));
  const Value loss = ir::reduce_sum(ir::multiply(dot(dot(x, w), w), x), std::array<std::int64_t, 2>{0, 1});
  const Value one = ir::constant_like(loss, 1);
  p.graph.set_outputs({m * 0.5 + ir::gradient(p.graph, {{loss}}, {{one}}, {{w}})[0]});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("reduce_scatter data 224"));
}

// In the manner of FSDP: a weight is gathered once, although it is used as it is and transposed.
TEST(Partition, SplitWeightsAreGatheredOnce) {
  ShardedProgram p;
  const Value x = p.input(f32({64, 8}), Sharding(eight, {{0}, {}})),
              w = p.input(f32({8, 8}), Sharding(eight, {{0}, {}}));
  const Value y = dot(x, w);
  p.graph.set_outputs({dot(y, ir::transpose(w, std::array<std::int64_t, 2>{1, 0}))});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_gather data 224"));
}

// Parts that are divided by 0 would be infinities of both signs, or NaN.
TEST(Partition, PartialSumsAreAddedBeforeADivisionByWhatMayBeZero) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}})), y = p.input(f32({4}), Sharding(eight, 1));
  const Value sum = ir::reduce_sum(x, std::array<std::int64_t, 1>{0});
  p.graph.set_outputs({sum / y, ir::negate(sum / ir::constant_like(sum, 4))});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 28"));
}

TEST(Partition, AxesMoveBetweenDimensionsByAllToAll) {
  ShardedProgram p;
  const Value x = p.input(f32({8, 8}), Sharding(eight, {{0}, {}}));
  p.graph.set_outputs({ir::negate(x)});
  p.outputs = {Sharding(eight, {{}, {0}})};
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_to_all data 28"));  // 7/8 of a row of 32 bytes
}

TEST(Partition, SumsThatOthersDependOnAreAdded) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}}));
  const Value mean = ir::reduce_sum(x, std::array<std::int64_t, 1>{0}) * 0.0625;
  const Value centred = x - ir::broadcast(mean, x.type());
  p.graph.set_outputs({ir::multiply(centred, centred), mean});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 28"));
}

// Runs `body` three times; it takes the values of the loop without the counter.
template <class Body>
std::vector<Value> three_times(ir::Graph& graph, std::vector<Value> inits, Body&& body) {
  inits.insert(inits.begin(), ir::constant(graph, Type(DType::i32, {}), 0));
  const auto types = ir::types_of(inits);
  const auto condition = ir::make_graph(types, [](ir::Graph&, std::span<const Value> in) {
    return std::vector{ir::compare(in[0], ir::constant_like(in[0], 3), ir::Direction::LT)};
  });
  const auto region = ir::make_graph(types, [&](ir::Graph&, std::span<const Value> in) {
    std::vector<Value> results = body(in.subspan(1));
    results.insert(results.begin(), in[0] + 1.0);
    return results;
  });
  return ir::while_(inits, condition, region);
}

TEST(Partition, AnAccumulationIsAddedUpOnceAfterTheLoop) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}})), zero = ir::constant(p.graph, f32({4}), 0);
  const auto results = three_times(p.graph, {zero, x}, [](std::span<const Value> in) {
    return std::vector{in[0] + ir::reduce_sum(in[1], std::array<std::int64_t, 1>{0}), in[1] * 2};
  });
  p.graph.set_outputs({ir::abs(results[1])});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 28"));
}

TEST(Partition, ALoopKeepsTheShardingOfItsBody) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}})), start = ir::constant(p.graph, f32({16, 4}), 1);
  const auto results = three_times(p.graph, {start, x}, [](std::span<const Value> in) {
    return std::vector{ir::maximum(in[0] + in[1], in[1]), in[1]};
  });
  p.graph.set_outputs({results[1]});
  EXPECT_THAT(expect_same(p, eight), ElementsAre());
}

TEST(Partition, ACollectiveOfALoopCountsForEachStep) {
  ShardedProgram p;
  const Value x = p.input(f32({8}), Sharding(eight, {{0}}));
  const auto results = three_times(p.graph, {x}, [](std::span<const Value> in) {
    const Value sum = ir::reduce_sum(in[0], std::array<std::int64_t, 1>{0});
    return std::vector{ir::minimum(in[0], ir::broadcast(sum, in[0].type()))};
  });
  p.graph.set_outputs({results[1]});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 7 x 3"));
}

// A loop collects rows in this way for the gradients of the weights of stacked layers.
TEST(Partition, RowsThatStepsCollectAreAddedUpOnceAfterTheLoop) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}})), rows = ir::constant(p.graph, f32({8, 4}), 0),
              at = ir::constant(p.graph, Type(DType::i32, {}), 2);
  const auto results = three_times(p.graph, {rows, x, at}, [](std::span<const Value> in) {
    const Value row = ir::reshape(ir::reduce_sum(in[1], std::array<std::int64_t, 1>{0}), {1, 4});
    const Value updated = ir::dynamic_update_slice(in[0], row, std::array{in[2], ir::constant_like(in[2], 0)});
    return std::vector{updated, in[1] * 2, in[2] + 1.0};
  });
  p.graph.set_outputs({results[1]});
  p.outputs = {Sharding(eight, {{0}, {}})};
  EXPECT_THAT(expect_same(p, eight), ElementsAre("reduce_scatter data 112"));  // 7/8 of 128 bytes
}

TEST(Partition, AStepAddsWhatTheNextStepNeedsAdded) {
  ShardedProgram p;
  const Value x = p.input(f32({4, 16}), Sharding(eight, 2)), w = p.input(f32({16, 16}), Sharding(eight, {{}, {0}})),
              v = p.input(f32({16, 16}), Sharding(eight, {{0}, {}}));
  const auto results = three_times(p.graph, {x, w, v}, [](std::span<const Value> in) {
    const Value inner = ir::minimum(dot(in[0], in[1]), ir::constant_like(in[0], 2));
    return std::vector{ir::minimum(in[0], ir::constant_like(in[0], 1)) + dot(inner, in[2]), in[1], in[2]};
  });
  p.graph.set_outputs({results[1]});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 448 x 3"));  // 2 x 7/8 of 256 bytes, in each step
}

// The weight has more bytes than what it is multiplied by, but the product is combined with many activations.
TEST(Partition, AWeightIsGatheredIfThatSendsLessThanMovingActivations) {
  ShardedProgram p;
  const Value x = p.input(f32({8, 16, 32}), Sharding(eight, {{0}, {}, {}})),
              weight = p.input(f32({4, 32}), Sharding(eight, {{}, {0}})),
              small = p.input(f32({8, 4}), Sharding(eight, {{0}, {}}));
  const std::int64_t dims[] = {0, 2};
  const Value repeated = ir::broadcast_in_dim(dot(small, weight), x.type(), dims);
  p.graph.set_outputs({ir::maximum(repeated, x), weight * 2});
  p.outputs = {std::nullopt, p.shardings[1]};
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_gather data 448"));  // 7/8 of 512 bytes
}

TEST(Partition, BranchesAreDividedToo) {
  ShardedProgram p;
  const Value which = p.input(Type(DType::i32, {}), Sharding(grid, 0)),
              x = p.input(f32({8, 4}), Sharding(grid, {{0}, {1}}));
  const auto branch = [&](auto&& f) {
    return ir::make_graph({{x.type()}},
                          [&](ir::Graph&, std::span<const Value> in) { return std::vector<Value>{f(in[0])}; });
  };
  const std::vector branches{
      branch([](Value v) { return ir::negate(v); }), branch([](Value v) {
        return v + ir::broadcast(ir::reshape(ir::reduce_sum(v, std::array<std::int64_t, 1>{1}), {8, 1}), v.type());
      })};
  p.graph.set_outputs(ir::case_(which, {{x}}, branches));
  EXPECT_THAT(expect_same(p, grid), ElementsAre("all_reduce model 8"));
}

TEST(Partition, RefusesWhatItCannotDivide) {
  ShardedProgram p;
  const Value x = p.input(f32({10, 4}), Sharding(eight, {{0}, {}}));
  p.graph.set_outputs({ir::negate(x)});
  EXPECT_THAT([&] { partition(p.graph, eight, p.shardings); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("the nearest sizes that do are 8 and 16")));
  EXPECT_THROW(partition(p.graph, eight, {}), Error);
}

}  // namespace
}  // namespace weft::compiler
