// Nothing of the op table runs through the interpreter once compiled. What may: a custom_call with results, whose target only
// the interpreter could know; its samples, checks without results, are dropped.
#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/ops.h>

#include "../ir/op_samples.h"

namespace weft {
namespace {

class Fallbacks : public testing::TestWithParam<const ir::Op*> {};

TEST_P(Fallbacks, None) {
  for (const ir::OpSample& sample : ir::samples(*GetParam())) {
    compiler::Report report;
    compiler::compile(*sample.graph, {}, &report);
    EXPECT_TRUE(report.fallbacks.empty()) << sample.name << ": " << testing::PrintToString(report.fallbacks);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Fallbacks, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace weft
