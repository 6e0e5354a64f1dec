// Compiled lookups and updates at sizes where threads share the work.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;
using Indices = std::vector<std::int64_t>;

constexpr std::int64_t table_rows = 3000, row_width = 20, batch_size = 1500, key_count = 2;

// Ids of which a few are frequent, in bags of 0 to 5.
struct Bags {
  Array ids, ends;
};

Bags random_bags(std::int64_t least_id = 0) {
  std::mt19937_64 random(3);
  Indices ids, ends;
  for (std::int64_t bag = 0; bag < key_count * batch_size; ++bag) {
    for (std::int64_t left = static_cast<std::int64_t>(random() % 6); left > 0; --left)
      ids.push_back(least_id + static_cast<std::int64_t>(random() % (random() % 2 == 0 ? 10 : table_rows)));
    ends.push_back(static_cast<std::int64_t>(ids.size()));
  }
  Bags bags{Array(Type(DType::i64, {std::ssize(ids)})), Array(Type(DType::i64, {key_count, batch_size}))};
  std::ranges::copy(ids, bags.ids.data<std::int64_t>().begin());
  std::ranges::copy(ends, bags.ends.data<std::int64_t>().begin());
  return bags;
}

Array random_matrix(Type type, int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Array array(type);
  for (float& x : array.data<float>()) x = normal(random);
  return array;
}

using BodyFunction = std::function<std::vector<Value>(Graph&, std::span<const Value>)>;

// An update of one table with one state, for every key.
struct Update {
  Indices lookups{0, 0}, of_keys{0, 1}, columns{0, row_width}, tables{0, 0}, means{1, 0}, weighted{0}, bodies{0};
  Graph graph;
  std::vector<Array> inputs;

  Update(Type state, std::int64_t least_id, const BodyFunction& body) {
    const Bags bags = random_bags(least_id);
    inputs = {random_matrix(Type(DType::f32, {table_rows, row_width}), 1),
              Array(state),
              random_matrix(Type(DType::f32, {batch_size, key_count * row_width}), 2),
              bags.ids,
              bags.ends,
              Array::scalar<float>(0.1)};
    std::vector<Value> operands;
    for (const Array& input : inputs) operands.push_back(graph.add_input(input.type()));
    const Type row(DType::f32, {row_width});
    const auto region = ir::make_graph(std::array{row, row, ir::row_type(state), Type(DType::f32, {})}, body);
    const ir::EmbeddingUpdateAttributes attributes{.lookups = lookups,
                                                   .keys = of_keys,
                                                   .columns = columns,
                                                   .tables = tables,
                                                   .means = means,
                                                   .weighted = weighted,
                                                   .bodies = bodies,
                                                   .states = 1,
                                                   .bounds = ir::IdBounds::ERROR,
                                                   .names = "a,b"};
    ir::Node& node = graph.append(ir::ops::embedding_update, operands, &attributes, {}, std::array{region});
    graph.set_outputs({node.result(0), node.result(1)});
  }
};

// Adagrad with a sum for each element.
std::vector<Value> by_element(Graph&, std::span<const Value> x) {
  const Value sum = x[2] + x[1] * x[1];
  return {x[0] - ir::broadcast(x[3], x[1].type()) * x[1] / (ir::sqrt(sum) + ir::constant_like(sum, 1e-3)), sum};
}
// Adagrad with a sum for each row.
std::vector<Value> by_row(Graph&, std::span<const Value> x) {
  const std::int64_t along[] = {0};
  const Value sum = x[2] + ir::reduce_sum(x[1] * x[1], along);
  return {x[0] - x[1] * ir::broadcast(x[3] / (ir::sqrt(sum) + ir::constant_like(sum, 1e-3)), x[1].type()), sum};
}
// A step whose length is that of the row: sums of what earlier sums make, and a state that is needed after it was written.
std::vector<Value> by_norms(Graph&, std::span<const Value> x) {
  const std::int64_t along[] = {0};
  const Value average = x[2] * ir::constant_like(x[2], 0.9) + x[1];
  const Value ratio =
      ir::sqrt(ir::reduce_sum(x[0] * x[0], along)) / (ir::sqrt(ir::reduce_sum(average * average, along)) + x[3]);
  return {x[0] - average * ir::broadcast(ratio * x[3], x[1].type()), average};
}
// Its kernels are not all: a sort.
std::vector<Value> by_sorting(Graph&, std::span<const Value> x) {
  const auto descending = ir::comparison_body(ir::Direction::GT, DType::f32, ir::Comparison::TOTALORDER);
  const Value sorted = ir::sort(x.subspan(1, 1), 0, true, descending)[0];
  return {x[0] - sorted * ir::broadcast(x[3], sorted.type()), x[2]};
}
// The state becomes the gradient, the value stays.
std::vector<Value> by_passing(Graph&, std::span<const Value> x) { return {x[0], x[1]}; }

class EmbeddingUpdate : public testing::TestWithParam<std::pair<BodyFunction, Type>> {};

TEST_P(EmbeddingUpdate, EqualsTheInterpreterForAnyNumberOfThreads) {
  Update update(GetParam().second, 0, GetParam().first);
  const auto want = ir::interpret(update.graph, update.inputs);
  std::vector<Array> first;
  for (const int threads : {1, 2, 5}) {
    const test::Threads with(threads);
    compiler::Report report;
    const auto got = test::run_compiled(update.graph, update.inputs, {}, &report);
    EXPECT_EQ(report.fallbacks, std::vector<std::string>{});
    if (first.empty()) first = got;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], first[i]) << threads << " threads";
      for (std::int64_t e = 0; e < got[i].size(); ++e)
        ASSERT_NEAR(got[i].element(e), want[i].element(e), 2e-4 * (1 + std::abs(want[i].element(e)))) << i << ", " << e;
    }
  }
}

const Type of_elements(DType::f32, {table_rows, row_width}), of_rows(DType::f32, {table_rows});
INSTANTIATE_TEST_SUITE_P(Bodies, EmbeddingUpdate,
                         testing::Values(std::pair<BodyFunction, Type>{by_element, of_elements},
                                         std::pair<BodyFunction, Type>{by_row, of_rows},
                                         std::pair<BodyFunction, Type>{by_norms, of_elements},
                                         std::pair<BodyFunction, Type>{by_sorting, of_elements},
                                         std::pair<BodyFunction, Type>{by_passing, of_elements}));

// The table takes over the memory of the one before; beside tables and inputs, 16 bytes for each id are in use.
TEST(EmbeddingUpdates, ChangeDonatedTablesInPlace) {
  Update update(of_elements, 0, by_element);
  compiler::Report report;
  const auto executable = compiler::compile(update.graph, {.donatable = {true, true}}, &report);
  EXPECT_EQ(executable->outputs[0].donated_input, 0);
  EXPECT_EQ(executable->outputs[1].donated_input, 1);
  std::uint64_t inputs = 0;
  for (const Array& input : update.inputs) inputs += input.bytes().size();
  EXPECT_LE(executable->peak_bytes, inputs + 16 * update.inputs[3].size() + 64);
}

TEST(EmbeddingUpdates, CheckAllIdsBeforeTheyWrite) {
  Update update(of_elements, table_rows - 5, by_element);
  auto& device = runtime::cpu();
  std::vector<runtime::BufferPtr> buffers;
  for (const Array& input : update.inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  const auto outputs = device.launch(compiler::compile(update.graph), buffers);
  EXPECT_THROW(outputs[0]->bytes(), Error);
}

TEST(EmbeddingBags, EqualTheInterpreterForAnyNumberOfThreads) {
  const Bags bags = random_bags();
  const Array table = random_matrix(Type(DType::f32, {table_rows, row_width}), 1);
  const Indices of_keys{1, 0}, tables{0, 0}, means{1, 0};
  const ir::EmbeddingAttributes attributes{of_keys, tables, means, false, ir::IdBounds::ERROR, ""};
  Graph graph;
  const std::vector<Array> inputs{table, bags.ids, bags.ends};
  std::vector<Value> x;
  for (const Array& input : inputs) x.push_back(graph.add_input(input.type()));
  const Value pooled = ir::embedding_bag(std::span(x).first(1), {x[1], x[2]}, attributes);
  graph.set_outputs(
      {pooled, ir::embedding_bag_gradient(pooled, {x[1], x[2]}, std::array{table.type()}, attributes)[0]});
  const auto want = ir::interpret(graph, inputs);
  std::vector<Array> first;
  for (const int threads : {1, 2, 5}) {
    const test::Threads with(threads);
    const auto got = test::run_compiled(graph, inputs);
    if (first.empty()) first = got;
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], first[i]) << threads << " threads";
      for (std::int64_t e = 0; e < got[i].size(); ++e)
        ASSERT_NEAR(got[i].element(e), want[i].element(e), 1e-3 * (1 + std::abs(want[i].element(e)))) << i << ", " << e;
    }
  }
}

}  // namespace
}  // namespace weft
