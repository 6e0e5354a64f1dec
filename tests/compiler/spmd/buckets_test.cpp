// Collectives that carry many tensors and run beside computation: what is joined, in which order things run, and that no bit of a result
// depends on it.
#include <weft/compiler/spmd/buckets.h>

#include <algorithm>
#include <chrono>
#include <tests/compiler/spmd/divided.h>
#include <tests/error_of.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/random.h>
#include <weft/compiler/on_mesh.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/dependencies.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/schedule.h>

namespace weft::compiler {
namespace {

using ir::Mesh;
using ir::Sharding;
using ir::Value;
using runtime::Schedule;
using runtime::StreamKind;
using testing::ElementsAre;
using testing::HasSubstr;

Partitioned divided(const ShardedProgram& program) {
  return partition(program.graph, eight, program.shardings, program.outputs);
}

// A step of gradient descent on layers. The parameters are whole, or split as in FSDP.
struct Training : ShardedProgram {
  explicit Training(int layers, bool are_split = false, std::int64_t width = 64) {
    const Sharding of_weights = are_split ? Sharding(eight, {{0}, {}}) : Sharding(eight, 2);
    std::vector<Value> weights;
    const Value x = input(f32({64, width}), Sharding(eight, {{0}, {}}));
    Value y = x;
    for (int i = 0; i < layers; ++i) {
      weights.push_back(input(f32({width, width}), of_weights));
      y = ir::tanh(dot(y, weights.back()));
    }
    const Value loss = ir::reduce_sum(ir::multiply(y, y), std::array<std::int64_t, 2>{0, 1});
    const Value one = ir::constant_like(loss, 1);
    const std::vector<Value> gradients = ir::gradient(graph, {{loss}}, {{one}}, weights);
    std::vector<Value> results;
    for (int i = 0; i < layers; ++i) {  // not linear in the gradient, so that it has to be reduced before
      const Value g = gradients[i];
      results.push_back(weights[i] - g / (ir::abs(g) + 1.0) * 0.01);
    }
    graph.set_outputs(results);
    outputs.assign(layers, of_weights);
  }
};

std::vector<ir::Array> some_numbers(const ir::Graph& graph) {
  std::vector<ir::Array> inputs;
  std::uint64_t state = 1;
  for (const Value input : graph.inputs()) {
    ir::Array& array = inputs.emplace_back(input.type());
    for (float& x : array.data<float>()) {
      state = mix(state, 7);
      x = static_cast<float>(static_cast<double>(state >> 40) / (1 << 24) - 0.5) / 4;
    }
  }
  return inputs;
}

// The collectives of the program: "all_reduce 3" carries three tensors.
std::vector<std::string> collectives(const Partitioned& program) {
  std::vector<std::string> all;
  for (const ir::Node* node : program.graph->nodes())
    if (node->op->kind == ir::Kind::collective && !node->operands.empty())
      all.push_back(concat(node->op->name, ' ', node->operands.size()));
  return all;
}

std::vector<std::string> joined(const ShardedProgram& program, Options options = {}) {
  options.devices = eight.devices();
  const Partitioned result = join_collectives(divided(program), options);
  ir::verify(*result.graph);
  for (const Communication& c : result.communications) {
    EXPECT_EQ(c.node->graph, result.graph.get());
    EXPECT_EQ(c.received().dtype(), DType::f32);
  }
  return collectives(result);
}

// A link on which communication takes about as long as computing the gradients of a few layers.
constexpr Link slow{.latency_us = 2, .gb_s = 2, .leaves_cpus = true};

TEST(JoinCollectives, OneCarriesEveryGradient) {
  const Training step(5);
  EXPECT_THAT(joined(step, {.bucketing = Bucketing::none}), testing::Each("all_reduce 1"));
  EXPECT_THAT(joined(step, {.bucketing = Bucketing::one}), ElementsAre("all_reduce 5"));
  EXPECT_THAT(joined(step, {.link = slow, .overlap = false}), ElementsAre("all_reduce 5")) << "nothing could be hidden";
  EXPECT_THAT(joined(step), ElementsAre("all_reduce 5")) << "devices that share memory have nothing to hide";
}

TEST(JoinCollectives, CutsFollowTheCostOfTheLink) {
  const Training step(12);
  const std::vector<std::string> cheap = joined(step, {.link = {.latency_us = 0.1, .gb_s = 1000, .leaves_cpus = true}}),
                                 balanced = joined(step, {.link = slow}),
                                 dear =
                                     joined(step, {.link = {.latency_us = 10'000, .gb_s = 1000, .leaves_cpus = true}});
  EXPECT_THAT(dear, ElementsAre("all_reduce 12"));
  EXPECT_GT(balanced.size(), 1u);
  EXPECT_LE(balanced.size(), 8u);
  EXPECT_NE(balanced.back(), "all_reduce 11") << "the last gradients are ready when little can hide them";
  EXPECT_LE(cheap.size(), 8u);
}

TEST(JoinCollectives, FewCarryTheGradientsOfAnyNumberOfLayers) {
  const Training step(60);
  for (const double gb_s : {0.01, 0.1, 1.0, 10.0, 100.0})
    EXPECT_LE(joined(step, {.link = {.latency_us = 1, .gb_s = gb_s, .leaves_cpus = true}}).size(), 8u)
        << gb_s << " GB/s";
}

// Rows of two collections, which are looked up one after the other.
TEST(JoinCollectives, LargeOnesStayApartWhereComputationHidesThem) {
  ShardedProgram p;
  std::vector<Value> sums;
  for (int i = 0; i < 2; ++i) {
    const Value rows = ir::abs(p.input(f32({64, 4096}), Sharding(eight, {{0}, {}})));
    sums.push_back(ir::abs(ir::reduce_sum(rows, std::array<std::int64_t, 1>{0})));
  }
  p.graph.set_outputs({sums[0] + sums[1]});
  const Link quick{.latency_us = 0.1, .gb_s = 1, .leaves_cpus = true},
      late{.latency_us = 100, .gb_s = 1, .leaves_cpus = true};
  EXPECT_THAT(joined(p, {.link = quick}), ElementsAre("all_reduce 1", "all_reduce 1"));
  EXPECT_THAT(joined(p, {.link = late}), ElementsAre("all_reduce 2")) << "the latency is most of its time";
  EXPECT_THAT(joined(p, {.link = quick, .overlap = false}), ElementsAre("all_reduce 2"));
}

TEST(JoinCollectives, WeightsThatAreNeededFirstComeFirst) {
  const Training step(12, /*are_split=*/true);
  const std::vector<std::string> all = joined(step, {.link = slow});
  EXPECT_NE(all.front(), "all_gather 12") << "the first layer need not wait for the weights of the last one";
  EXPECT_GT(std::ranges::count_if(all, [](const std::string& c) { return c.starts_with("all_gather"); }), 1);
  EXPECT_TRUE(std::ranges::any_of(
      all, [](const std::string& c) { return c.starts_with("reduce_scatter ") && c.back() > '1'; }));
}

// The second sum depends on the first, and the third one is needed before the operand of the fourth is made.
TEST(JoinCollectives, WhatDependsOnEachOtherStaysApart) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}}));
  const auto sum = [](Value v) { return ir::reduce_sum(v, std::array<std::int64_t, 1>{0}); };
  const Value first = ir::abs(sum(x)), second = ir::abs(sum(x * 2 - ir::broadcast(first, x.type())));
  p.graph.set_outputs({second});
  EXPECT_THAT(joined(p, {.bucketing = Bucketing::one}), ElementsAre("all_reduce 1", "all_reduce 1"));
}

TEST(JoinCollectives, DescriptionsTellWhichWereJoined) {
  Report report;
  (void)compile_for_mesh(divided(Training(5)), {.bucketing = Bucketing::one}, &report);
  ASSERT_TRUE(report.division);
  EXPECT_EQ(report.division->operations(), 1u);
  EXPECT_EQ(report.division->collectives.size(), 5u);
  EXPECT_THAT(report.division->summary(),
              HasSubstr("8 devices (data=8): 1 all_reduce of 5 tensors; each device sends"));
  EXPECT_THAT(report.division->joined, ElementsAre(HasSubstr("5 all_reduce became 1, of 5 (140 KiB) tensors")));
}

// The part of the schedule that runs on a stream.
const Schedule::Part* part_of(const runtime::Executable& executable, StreamKind stream) {
  if (!executable.schedule) return nullptr;
  const auto& parts = executable.schedule->parts;
  const auto found = std::ranges::find(parts, stream, &Schedule::Part::stream);
  return found == parts.end() ? nullptr : &*found;
}

TEST(HiddenCollectives, UpdatesStartBeforeTheLastReductionEnds) {
  const std::int64_t width = 512;  // smaller updates would become one kernel
  const auto step = compile_for_mesh(divided(Training(12, false, width)), {.link = slow});
  const Schedule::Part* const communication = part_of(*step, StreamKind::communication);
  ASSERT_NE(communication, nullptr);
  ASSERT_GT(communication->tasks.size(), 1u);
  const std::uint32_t number = communication - step->schedule->parts.data();
  std::vector<std::uint32_t> awaited;  // how many collectives the compute stream waits for, in its order
  bool has_last_device = true;         // since the last wait, which hides the next collective
  for (const Schedule::Task& task : step->schedule->parts[0].tasks) {
    for (const Schedule::Wait& wait : task.waits) {
      if (wait.part != number) continue;
      awaited.push_back(wait.tasks);
      EXPECT_TRUE(std::exchange(has_last_device, false)) << "one device waits before others have done what they can";
    }
    has_last_device |= step->thunks[task.thunk]->info.name.ends_with("@7");
  }
  ASSERT_GT(awaited.size(), 1u);
  EXPECT_LT(awaited.front(), communication->tasks.size()) << "the first update does not wait for the last reduction";
  EXPECT_EQ(awaited.back(), communication->tasks.size());
}

TEST(HiddenCollectives, ReductionsStartBeforeTheBackwardPassEnds) {
  const auto step = compile_for_mesh(divided(Training(12)), {.link = slow});
  const Schedule::Part* const communication = part_of(*step, StreamKind::communication);
  ASSERT_NE(communication, nullptr);
  const auto& computing = step->schedule->parts[0].tasks;
  std::size_t products = 0;  // that end after the first reduction may start
  for (std::size_t t = communication->tasks.front().waits.front().tasks; t < computing.size(); ++t)
    products += step->thunks[computing[t].thunk]->info.category == "dot";
  EXPECT_GE(products, 8u * 4) << "products of each device that hide the first reduction";
}

// Momentum in the manner of ZeRO-1. The next launch needs the new weights one after the other, while they are gathered: all devices use one
// weight before one of them waits for the next.
TEST(HiddenCollectives, DevicesWaitTogetherForTheLaunchBefore) {
  constexpr int layers = 4;
  ShardedProgram p;
  const Sharding whole(eight, 2), split(eight, {{0}, {}});
  const Value x = p.input(f32({4096, 64}), split);  // overlap takes memory, but less than a tenth of this
  std::vector<Value> weights, momenta;
  Value y = x;
  for (int i = 0; i < layers; ++i) y = ir::tanh(dot(y, weights.emplace_back(p.input(f32({64, 64}), whole))));
  for (int i = 0; i < layers; ++i) momenta.push_back(p.input(f32({64, 64}), split));
  const Value loss = ir::reduce_sum(ir::multiply(y, y), std::array<std::int64_t, 2>{0, 1});
  const Value one = ir::constant_like(loss, 1);
  const std::vector<Value> gradients = ir::gradient(p.graph, {{loss}}, {{one}}, weights);
  std::vector<Value> results;
  for (int i = 0; i < layers; ++i) momenta[i] = momenta[i] * 0.5 + ir::abs(gradients[i]);
  for (int i = 0; i < layers; ++i) results.push_back(weights[i] - momenta[i] * 0.01);
  results.insert(results.end(), momenta.begin(), momenta.end());
  p.graph.set_outputs(results);
  p.outputs.assign(layers, whole);
  p.outputs.resize(2 * layers, split);
  const auto step = compile_for_mesh(
      divided(p), {.donatable = std::vector(1 + 2 * layers, true), .link = slow, .bucketing = Bucketing::none});
  ASSERT_NE(step->schedule, nullptr);
  const auto first_use = [&](int weight, std::string_view device) {
    return std::ranges::find_if(step->thunks,
                                [&](const auto& thunk) {
                                  return thunk->info.name.ends_with(device) &&
                                         std::ranges::any_of(thunk->reads, [&](const runtime::Slice& s) {
                                           const runtime::Allocation& a = step->allocations[s.allocation];
                                           return a.kind == runtime::Allocation::Kind::input &&
                                                  std::cmp_equal(a.index, 1 + weight);
                                         });
                                }) -
           step->thunks.begin();
  };
  for (int i = 0; i + 1 < layers; ++i) EXPECT_LT(first_use(i, "@7"), first_use(i + 1, "@0")) << "weight " << i;
}

TEST(HiddenCollectives, WithoutOverlapEverythingRunsInTurn) {
  EXPECT_NE(compile_for_mesh(divided(Training(6)), {.link = slow})->schedule, nullptr);
  EXPECT_EQ(compile_for_mesh(divided(Training(6)), {.link = slow, .overlap = false})->schedule, nullptr);
  EXPECT_EQ(compile_for_mesh(divided(Training(6)), {})->schedule, nullptr) << "copies in memory leave no CPU free";
}

TEST(HiddenCollectives, NoBitDependsOnHowTheyRun) {
  const int threads = runtime::thread_count();
  for (const bool are_split : {false, true}) {
    const Training step(6, are_split);
    const auto inputs = some_numbers(step.graph);
    const Partitioned program = divided(step);
    const auto expected = run_on_mesh(compile_for_mesh(program, {.bucketing = Bucketing::none, .overlap = false}),
                                      runtime::cpu(), inputs);
    const auto reference = interpret_on_mesh(program, inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
      for (std::int64_t e = 0; e < expected[i].size(); e += 97)
        EXPECT_NEAR(expected[i].element(e), reference[i].element(e), 1e-4) << "output " << i << ", element " << e;
    for (const bool overlap : {true, false})
      for (const Bucketing bucketing : {Bucketing::chosen, Bucketing::one, Bucketing::none})
        for (const Link link :
             {Link(), slow, Link{.latency_us = 300, .gb_s = 1, .leaves_cpus = true, .is_throttled = true}})
          for (const int workers : {1, 2, 7}) {
            runtime::set_thread_count(workers);
            const auto executable =
                compile_for_mesh(program, {.link = link, .bucketing = bucketing, .overlap = overlap});
            EXPECT_EQ(run_on_mesh(executable, runtime::cpu(), inputs), expected)
                << "overlap " << overlap << ", buckets " << static_cast<int>(bucketing) << ", " << workers
                << " workers, " << link.gb_s << " GB/s, split " << are_split;
          }
  }
  runtime::set_thread_count(threads);
}

// Without a bound, the products would all be computed while the first sum is on its way, and be kept until the second one arrives.
TEST(HiddenCollectives, MemoryBoundsWhatIsComputedEarlier) {
  ShardedProgram p;
  const Sharding by_rows(eight, {{0}, {}});
  const Value x = p.input(f32({64, 64}), by_rows), w = p.input(f32({64, 4096}), Sharding(eight, 2));
  Value total = ir::constant(p.graph, f32({64}), 0);
  for (int i = 0; i < 8; ++i) {
    const Value product = dot(p.input(f32({64, 64}), by_rows), w);
    const Value sum = ir::abs(ir::reduce_sum(x * ir::broadcast(total + 1.0, x.type()), std::array<std::int64_t, 1>{0}));
    const Value scaled =
        ir::multiply(product, ir::broadcast(ir::reduce_sum(sum, std::array<std::int64_t, 1>{0}), product.type()));
    total = ir::maximum(sum, ir::broadcast(ir::reduce_max(scaled, std::array<std::int64_t, 2>{0, 1}), sum.type()));
  }
  p.graph.set_outputs({total});
  Report hidden, in_turn;
  const auto inputs = some_numbers(p.graph);
  const auto one = compile_for_mesh(divided(p), {.link = {.latency_us = 1e6, .gb_s = 1, .leaves_cpus = true}}, &hidden);
  const auto other = compile_for_mesh(divided(p), {.overlap = false}, &in_turn);
  EXPECT_LE(hidden.peak_bytes, 1.25 * in_turn.peak_bytes);
  EXPECT_THAT(hidden.division->joined,
              testing::Contains(HasSubstr("operations keep their order, because hiding collectives would take")));
  EXPECT_EQ(run_on_mesh(one, runtime::cpu(), inputs), run_on_mesh(other, runtime::cpu(), inputs));
}

// The memory of what is sent would otherwise be used by the next computation, which would wait until it has arrived.
TEST(HiddenCollectives, ComputationDoesNotWaitForTheMemoryOfWhatIsSent) {
  ShardedProgram p;
  const Value x = p.input(f32({64, 64}), Sharding(eight, {{0}, {}}));
  const std::array<std::int64_t, 1> rows{0};
  const Value sent = ir::reduce_sum(ir::abs(x), rows);  // an output
  Value other = dot(x, p.input(f32({64, 64}), Sharding(eight, 2)));
  for (int i = 0; i < 3; ++i) other = dot(other, p.input(f32({64, 64}), Sharding(eight, 2)));
  p.graph.set_outputs({sent, other});
  const auto step = compile_for_mesh(divided(p), {.link = slow});
  std::vector<bool> communicates;
  for (const auto& thunk : step->thunks) communicates.push_back(thunk->stream == runtime::StreamKind::communication);
  ASSERT_THAT(communicates, testing::Contains(true));
  const auto after = runtime::dependencies(*step);
  for (std::size_t t = 0; t < after.size(); ++t)
    for (const std::uint32_t before : after[t])
      EXPECT_FALSE(communicates[before] && !communicates[t]) << step->thunks[t]->info.name << " waits";
}

TEST(ThrottledLink, CollectivesLastAsLongAsItSays) {
  const Training step(2);
  const auto inputs = some_numbers(step.graph);
  for (const bool overlap : {false, true}) {
    const auto executable = compile_for_mesh(
        divided(step), {.link = {.latency_us = 20'000, .gb_s = 1, .leaves_cpus = true, .is_throttled = true},
                        .bucketing = Bucketing::none,
                        .overlap = overlap});
    double ms = 0;
    (void)run_on_mesh(executable, runtime::cpu(), inputs, &ms);
    EXPECT_GE(ms, 40) << "two collectives, one after the other";
  }
}

TEST(ThrottledLink, TextsThatAreNoLinkAreRefused) {
  const Link link = Link::parse("latency_us=50,gb_s=1.5");
  EXPECT_EQ(link, (Link{.latency_us = 50, .gb_s = 1.5, .leaves_cpus = true, .is_throttled = true}));
  EXPECT_EQ(Link::parse(""), Link());
  for (const char* text : {"fast", "gb_s=0", "gb_s=-1", "latency_us=", "gb_s=1e99", "gb_s=1x", "latency=5"})
    EXPECT_THAT(error_of([&] { (void)Link::parse(text); }), HasSubstr("write the link as latency_us=50,gb_s=1"))
        << text;
}

}  // namespace
}  // namespace weft::compiler
