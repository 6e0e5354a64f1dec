// Small independent kernels run as one and give the same results as when run separately.
#include <weft/compiler/plan/horizontal.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Value;
using testing::SizeIs;

struct Joined {
  std::vector<ir::Array> values;
  int thunks = 0;
  std::vector<std::string> joined;
};

Joined run(const ir::Graph& graph, std::vector<bool> donatable = {}) {
  compiler::Options options;
  options.strict = true;
  options.donatable = std::move(donatable);
  compiler::Report report;
  Joined result;
  result.values = test::run_compiled(graph, test::normal_inputs(graph), options, &report);
  result.thunks = report.thunks;
  for (const compiler::Fusion& fusion : report.fusions)
    if (fusion.name.starts_with("horizontal")) result.joined.push_back(fusion.operations);
  return result;
}

void expect_interpreted(const ir::Graph& graph, const std::vector<ir::Array>& got) {
  const auto want = ir::interpret(graph, test::normal_inputs(graph));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], want[i]) << "output " << i;
}

// Updates of parameters of many shapes, as an optimizer without state computes them.
std::shared_ptr<const ir::Graph> updates(int count) {
  std::vector<Type> types;
  for (int i = 0; i < count; ++i) types.insert(types.end(), 2, Type(DType::f32, {i % 5 + 1, 37 * (i % 7)}));
  types.emplace_back(DType::f32, std::vector<Dim>{});
  return ir::make_graph(types, [&](ir::Graph&, std::span<const Value> in) {
    std::vector<Value> outputs;
    for (int i = 0; i < count; ++i) {
      const Value p = in[2 * i], g = in[2 * i + 1];
      outputs.push_back(p - g * ir::broadcast(in.back(), p.type()));
    }
    return outputs;
  });
}

TEST(HorizontalFusion, MakesOneKernelOfManyUpdates) {
  const auto graph = updates(60);
  for (const int threads : {1, 2, 3}) {
    const test::Threads scope(threads);
    const Joined got = run(*graph);
    EXPECT_EQ(got.thunks, 1);
    EXPECT_THAT(got.joined, SizeIs(1));
    expect_interpreted(*graph, got.values);
  }
}

TEST(HorizontalFusion, UpdatesInPlace) {
  const auto graph = updates(20);
  std::vector<bool> donatable;
  for (int i = 0; i < 20; ++i) donatable.insert(donatable.end(), {true, false});
  donatable.push_back(false);
  const Joined got = run(*graph, donatable);
  EXPECT_EQ(got.thunks, 1);
  expect_interpreted(*graph, got.values);
}

// The kernels before the last reader of the input could overwrite its bytes if they were not fused with that reader.
TEST(HorizontalFusion, OverwritesNothingThatAnotherOneReads) {
  const Type type(DType::f32, {300});
  const auto graph = ir::make_graph(std::vector{type, type, type}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t reversed[] = {0};
    const Value first = in[1] * 3.0;
    return std::vector{first, in[0] * in[1], ir::reverse(in[1], reversed) + in[2]};
  });
  const Joined got = run(*graph, {true, true, true});
  EXPECT_THAT(got.joined, SizeIs(1));
  expect_interpreted(*graph, got.values);
}

TEST(HorizontalFusion, LeavesDependentAndLargeKernelsAlone) {
  const Type small(DType::f32, {16, 16}), large(DType::f32, {300, 300});
  const auto graph = ir::make_graph(std::vector{small, large}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t rows[] = {0}, columns[] = {1};
    const Value sums = ir::reduce_sum(in[0], rows);
    const Value all = ir::reduce_sum(in[0] * ir::broadcast_in_dim(sums, in[0].type(), columns), columns);
    return std::vector{all, in[1] * 2.0, in[1] + 1.0};
  });
  EXPECT_THAT(run(*graph).joined, SizeIs(0));
}

// Reductions with all walks beside pointwise kernels: threads share the tasks of each.
TEST(HorizontalFusion, JoinsKernelsOfAllKinds) {
  const Type x(DType::f32, {40, 70}), y(DType::f32, {9, 33, 5}), z(DType::f32, {3000});
  const auto graph = ir::make_graph(std::vector{x, x, y, z}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t first[] = {0}, last[] = {1}, inner[] = {0, 2}, all[] = {0};
    return std::vector{ir::reduce_sum(in[0] * in[0], first), ir::reduce_sum(in[1], last),
                       ir::reduce_sum(in[2] * 0.5, inner), ir::tanh(in[3]), ir::reduce_sum(in[3], all)};
  });
  const Joined one = run(*graph);
  EXPECT_FALSE(one.joined.empty());
  for (const int threads : {1, 2, 5}) {
    const test::Threads scope(threads);
    const Joined got = run(*graph);
    for (std::size_t i = 0; i < got.values.size(); ++i) EXPECT_EQ(got.values[i], one.values[i]);
  }
}

}  // namespace
}  // namespace weft
