// Generated from the op table: every sample, computed for a batch, gives the bits of its examples computed one by one, whichever inputs
// depend on the example.
#include <tests/ir/op_samples.h>

#include <gtest/gtest.h>

#include <weft/ir/batch.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>

namespace weft::ir {
namespace {

constexpr std::int64_t batch_size = 3;

Array stacked(std::span<const Array> examples) {
  Array all(with_batch(examples[0].type(), std::ssize(examples)));
  const auto each = static_cast<std::size_t>(examples[0].type().bytes());
  for (std::size_t i = 0; i < examples.size(); ++i)
    std::ranges::copy(examples[i].bytes(), all.bytes().begin() + static_cast<std::ptrdiff_t>(i * each));
  return all;
}

// Returns which inputs are to be batched: all of them, each alone, and all but each.
std::vector<std::vector<bool>> choices(std::size_t inputs) {
  std::vector<std::vector<bool>> all{std::vector<bool>(inputs, true)};
  for (std::size_t i = 0; i < inputs && inputs > 1; ++i) {
    std::vector<bool> alone(inputs), without(inputs, true);
    alone[i] = true;
    without[i] = false;
    all.push_back(alone);
    if (inputs > 2) all.push_back(without);
  }
  return all;
}

// The sample's inputs for each example; those that are not batched are the same for all.
std::vector<std::vector<Array>> examples_of(const OpSample& sample, const std::vector<bool>& is_batched) {
  std::vector<std::vector<Array>> examples;
  for (std::int64_t e = 0; e < batch_size; ++e) {
    examples.push_back(random_inputs(sample, e));
    for (std::size_t i = 0; i < is_batched.size(); ++i)
      if (!is_batched[i]) examples[e][i] = examples[0][i];
  }
  return examples;
}

struct BatchedSample {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<bool> outputs_are_batched = {};
};

BatchedSample batched(const OpSample& sample, const std::vector<bool>& is_batched, std::int64_t size) {
  BatchedSample result;
  std::vector<Batched> inputs;
  for (std::size_t i = 0; i < is_batched.size(); ++i) {
    const Type type = sample.graph->inputs()[i].type();
    inputs.emplace_back(result.graph->add_input(is_batched[i] ? with_batch(type, size) : type), is_batched[i]);
  }
  std::vector<Value> outputs;
  for (const Batched& output : batch(*result.graph, *sample.graph, inputs, {.size = size})) {
    outputs.push_back(output.value);
    result.outputs_are_batched.push_back(output.is_batched);
  }
  result.graph->set_outputs(outputs);
  verify(*result.graph);
  return result;
}

class BatchedOps : public ::testing::TestWithParam<const Op*> {};

TEST_P(BatchedOps, GiveTheBitsOfTheExamples) {
  const Op& op = *GetParam();
  int cases = 0;
  for (const OpSample& sample : samples(op)) {
    for (const std::vector<bool>& is_batched : choices(sample.inputs.size())) {
      SCOPED_TRACE(concat(sample.name, ", batched: ", ::testing::PrintToString(is_batched)));
      const auto examples = examples_of(sample, is_batched);
      std::vector<std::vector<Array>> expected;
      for (const auto& example : examples) expected.push_back(interpret(*sample.graph, example));
      const BatchedSample whole = batched(sample, is_batched, batch_size);
      std::vector<Array> inputs;
      for (std::size_t i = 0; i < is_batched.size(); ++i) {
        std::vector<Array> of_input;
        for (const auto& example : examples) of_input.push_back(example[i]);
        inputs.push_back(is_batched[i] ? stacked(of_input) : of_input[0]);
      }
      const std::vector<Array> results = interpret(*whole.graph, inputs);
      for (std::size_t i = 0; i < results.size(); ++i) {
        std::vector<Array> of_result;
        for (const auto& example : expected) of_result.push_back(example[i]);
        if (whole.outputs_are_batched[i]) {
          EXPECT_EQ(results[i], stacked(of_result)) << "result " << i;
        } else {
          for (const Array& one : of_result) EXPECT_EQ(results[i], one) << "result " << i;
        }
        cases += whole.outputs_are_batched[i];
      }
    }
  }
  EXPECT_GT(cases, 0) << op.name << ": no sample has a result that depends on the example";
}

TEST_P(BatchedOps, MayHaveNoExamples) {
  for (const OpSample& sample : samples(*GetParam())) {
    const BatchedSample none = batched(sample, std::vector<bool>(sample.inputs.size(), true), 0);
    std::vector<Array> inputs;
    for (const Value v : none.graph->inputs()) inputs.emplace_back(v.type());
    const std::vector<Array> results = interpret(*none.graph, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Type type = sample.graph->outputs()[i].type();
      EXPECT_EQ(results[i].type(), none.outputs_are_batched[i] ? with_batch(type, 0) : type);
    }
  }
}

// Ops that have operands, and that programs of one process run.
std::vector<const Op*> batched_ops() {
  std::vector<const Op*> all;
  std::ranges::copy_if(ops::table, std::back_inserter(all),
                       [](const Op* op) { return op->batch || op->kind == Kind::elementwise; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, BatchedOps, ::testing::ValuesIn(batched_ops()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
