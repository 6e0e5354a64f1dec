// Every op of the table has samples, and their type rule says what the interpreter computes.
#include <tests/ir/op_samples.h>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

class OpSamples : public ::testing::TestWithParam<const Op*> {};

TEST_P(OpSamples, CoverTheOp) {
  const Op& op = *GetParam();
  const auto list = samples(op);
  ASSERT_FALSE(list.empty()) << op.name << " has no samples: write some in tests/ir/op_samples*.cpp";
  const bool has_gradient = op.gradient != zero_gradient && op.gradient != not_differentiable;
  EXPECT_EQ(std::ranges::any_of(list, [](const OpSample& s) { return !s.wrt.empty(); }), has_gradient);
  for (const OpSample& sample : list) {
    const auto nodes = sample.graph->nodes();
    EXPECT_EQ(std::ranges::count(nodes, &op, &Node::op),
              &op == &ops::parameter ? static_cast<long>(sample.inputs.size()) : 1)
        << sample.name;
    EXPECT_EQ(sample.inputs.size(), sample.graph->inputs().size()) << sample.name;
  }
}

TEST_P(OpSamples, HaveTheTypesTheirRuleSays) {
  for (const OpSample& sample : samples(*GetParam())) {
    SCOPED_TRACE(sample.name);
    const auto results = interpret(*sample.graph, random_inputs(sample));
    ASSERT_EQ(results.size(), sample.graph->outputs().size());
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].type(), sample.graph->outputs()[i].type());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OpSamples, ::testing::ValuesIn(ops::table),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
