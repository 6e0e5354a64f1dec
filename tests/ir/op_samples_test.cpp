// Checks that every op of the table has samples, and that the type rules agree with the interpreter's results.
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
    EXPECT_TRUE(find_node(*sample.graph, op)) << sample.name;
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

const Node& node_of(const Op& op, const OpSample& sample) { return *find_node(*sample.graph, op); }

std::vector<Type> types_of(const Node& node) {
  std::vector<Type> types(node.types.begin(), node.types.end());
  for (const Value v : node.operands) types.push_back(v.type());
  return types;
}

TEST_P(OpSamples, CoverTheDtypesOfTheDomain) {
  const Op& op = *GetParam();
  DTypes seen = 0;
  for (const OpSample& sample : samples(op))
    for (const Type t : types_of(node_of(op, sample))) seen |= dtypes({t.dtype()});
  for (const DType dtype : members(op.domain)) EXPECT_TRUE(contains(seen, dtype)) << op.name << " of " << dtype;
}

TEST_P(OpSamples, CoverEmptyTensors) {
  const Op& op = *GetParam();
  if (op.domain == 0) GTEST_SKIP() << "takes no tensors";
  EXPECT_TRUE(std::ranges::any_of(samples(op), [&](const OpSample& sample) {
    return std::ranges::any_of(types_of(node_of(op, sample)), [](Type t) { return t.elements() == 0; });
  })) << op.name;
}

TEST_P(OpSamples, CoverRankZero) {
  const Op& op = *GetParam();
  const bool covered = std::ranges::any_of(samples(op), [&](const OpSample& sample) {
    const Node& node = node_of(op, sample);
    return (node.operands.empty() || node.operand(0).rank() == 0) && (node.types.empty() || node.type().rank() == 0);
  });
  EXPECT_EQ(covered, takes_rank_zero(op)) << op.name;
}

INSTANTIATE_TEST_SUITE_P(Table, OpSamples, ::testing::ValuesIn(ops::table),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
