// What would remove a collective, by trying, and state that could be divided.
#include <weft/compiler/spmd/remedies.h>

#include <array>
#include <tests/compiler/spmd/divided.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/on_mesh.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/compiler/spmd/predict.h>
#include <weft/compiler/spmd/replicated_state.h>
#include <weft/compiler/spmd/updated_inputs.h>
#include <weft/ir/builder.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {
namespace {

using ir::Mesh;
using ir::Sharding;
using ir::Value;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const Mesh four{{"data", 4}};

Value dot(Value a, Value b, std::int64_t left, std::int64_t right) {
  return ir::dot_general(
      a, b, {.lhs_batching = {}, .rhs_batching = {}, .lhs_contracting = {&left, 1}, .rhs_contracting = {&right, 1}});
}

// A step with momentum, whose inputs are a batch, a weight and its momentum. The batch is divided, and nothing else unless it is said.
struct Step {
  explicit Step(Sharding momentum = Sharding(four, 2)) {
    const Value x = graph.add_input(f32({64, 32})), w = graph.add_input(f32({32, 16})),
                m = graph.add_input(f32({32, 16}));
    const Value y = ir::tanh(dot(x, w, 1, 0)), g = dot(x, y, 0, 0);
    const Value next = m * 0.9 + g * 0.1;
    graph.set_outputs({w - next / (ir::abs(next) + 1.0), next});
    inputs = {Sharding(four, {{0}, {}}), Sharding(four, 2), momentum};
    outputs = {Sharding(four, 2), momentum};
  }
  Partitioned divided() const { return partition(graph, four, inputs, outputs); }

  ir::Graph graph;
  std::vector<Sharding> inputs;
  std::vector<std::optional<Sharding>> outputs;
};

Division explained(const Partitioned& program, const Options& options = {}) {
  Division division = describe_division(program);
  add_remedies(program, options, [](std::int32_t i) { return concat("input ", i); }, division);
  return division;
}

TEST(Remedies, FindWhichOutputIsTheNextValueOfAnInput) {
  EXPECT_THAT(updated_inputs(Step().graph), ElementsAre(-1, 0, 1));
}

TEST(Remedies, SayWhatRemovesAGradientsReduction) {
  const Division division = explained(Step().divided());
  ASSERT_EQ(division.collectives.size(), 1u);
  const Division::Collective& c = division.collectives[0];
  EXPECT_EQ(c.name, "all_reduce");
  EXPECT_FALSE(c.remedies.empty());
  EXPECT_LE(c.remedies.size(), 3u);
  for (const std::string& remedy : c.remedies)
    EXPECT_THAT(remedy,
                testing::AnyOf(AllOf(HasSubstr("predicted exposed"), HasSubstr("instead of")), HasSubstr("minimal: ")));
}

TEST(Remedies, OfAResultThatIsGatheredLeaveItDivided) {
  ir::Graph graph;
  const Value x = graph.add_input(f32({64, 32}));
  graph.set_outputs({ir::tanh(x)});
  const std::array inputs{Sharding(four, {{0}, {}})};
  const std::array outputs{std::optional(Sharding(four, 2))};
  const Division division = explained(partition(graph, four, inputs, outputs));
  ASSERT_EQ(division.collectives.size(), 1u);
  EXPECT_THAT(division.collectives[0].remedies,
              Contains(HasSubstr(
                  "it is gone with results held as the data flow leaves them; in all, each device then sends 0 B "
                  "instead of")));
}

// Each layer gathers its weight, which is divided for no reason.
TEST(Remedies, ChangeTheWeightsOfAllLayersTogether) {
  ir::Graph graph;
  Value y = graph.add_input(f32({64, 32}));
  std::vector<Sharding> inputs{Sharding(four, {{0}, {}})};
  std::vector<std::optional<Sharding>> outputs{Sharding(four, {{0}, {}})};
  for (int i = 0; i < 3; ++i) {
    y = ir::tanh(dot(y, graph.add_input(f32({32, 32})), 1, 0));
    inputs.emplace_back(four, std::vector<Sharding::Axes>{{0}, {}});
  }
  graph.set_outputs({y});
  const Division division = explained(partition(graph, four, inputs, outputs));
  ASSERT_EQ(division.collectives.size(), 3u);
  for (const Division::Collective& c : division.collectives)
    EXPECT_THAT(c.remedies,
                Contains(HasSubstr("it is gone with input 1 (tensor<32x32xf32>) and 2 like it whole on every device; "
                                   "in all, each device then sends 0 B instead of 9.0 KiB")));
}

TEST(Remedies, TellIfNothingHelps) {
  ir::Graph graph;  // a sum over all devices, whose only input cannot be held otherwise
  const Value x = graph.add_input(f32({4}));
  graph.set_outputs({ir::reduce_sum(x * x, std::array<std::int64_t, 1>{0})});
  const std::array inputs{Sharding(four, {{0}})};
  const Division division = explained(partition(graph, four, inputs));
  ASSERT_EQ(division.collectives.size(), 1u);
  EXPECT_THAT(division.collectives[0].remedies, testing::SizeIs(1));
}

TEST(Predict, ExposesAllCommunicationOfALinkThatNeedsTheCpus) {
  const Step step;
  const Partitioned program = step.divided();
  Options options{.devices = 4, .link = {.latency_us = 100, .gb_s = 1}};
  const auto updated = updated_inputs(step.graph);
  const PredictedStep in_turn = predict(program, options, updated);
  EXPECT_GT(in_turn.communication_seconds, 1e-4);
  EXPECT_EQ(in_turn.exposed_seconds, in_turn.communication_seconds);
  EXPECT_EQ(in_turn.sent_bytes, 2 * 0.75 * 32 * 16 * 4);
  options.link.leaves_cpus = true;
  const PredictedStep beside = predict(program, options, updated);
  EXPECT_LE(beside.exposed_seconds, in_turn.exposed_seconds);
  EXPECT_LE(beside.seconds, in_turn.seconds);
}

TEST(ReplicatedState, IsWhatOnlyUpdatesUse) {
  const auto found = replicated_state(Step().divided());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].axis, "data");
  EXPECT_EQ(found[0].devices, 4);
  EXPECT_EQ(found[0].tensors, 1) << "the momentum; the weight is multiplied";
  EXPECT_EQ(found[0].bytes, 32 * 16 * 4);
  EXPECT_TRUE(replicated_state(Step(Sharding(four, {{0}, {}})).divided()).empty()) << "ZeRO-1";
}

// The description of a compiled program connects each exchanged tensor with the thunk that carries it.
TEST(ExchangedTensors, KnowTheirThunks) {
  for (const bool is_split : {false, true}) {
    const Step step(is_split ? Sharding(four, {{0}, {}}) : Sharding(four, 2));
    const auto executable =
        compile_for_mesh(step.divided(), {.link = {.latency_us = 1, .gb_s = 1, .leaves_cpus = true}});
    const runtime::ProgramDescription description = executable->describe();
    ASSERT_EQ(description.exchanged.size(), is_split ? 2u : 1u);
    for (const runtime::ExchangedTensor& tensor : description.exchanged) {
      ASSERT_GE(tensor.thunk, 0) << tensor.reason;
      const runtime::Thunk& thunk = *executable->thunks[tensor.thunk];
      EXPECT_EQ(thunk.info.category, "collective");
      EXPECT_THAT(thunk.info.name, HasSubstr(tensor.collective));
      EXPECT_NEAR(thunk.info.link_seconds, 1e-6 + 1e-9 * tensor.sent_bytes, 1e-12);
      EXPECT_FALSE(tensor.remedies.empty());
    }
    EXPECT_EQ(description.replicated.size(), is_split ? 0u : 1u);
  }
}

}  // namespace
}  // namespace weft::compiler
