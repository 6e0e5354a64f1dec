// Compiles every op of the table and compares it with the interpreter on the samples that all op tests share; also checks that nothing runs
// in the interpreter.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <weft/ir/host_function.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "../ir/op_samples.h"
#include "run.h"

namespace weft {
namespace {

double relative_tolerance(DType t) {
  switch (t) {
    case DType::f64: return 1e-11;
    case DType::f32: return 1e-5;
    case DType::f16: return 2e-3;
    case DType::bf16: return 1.6e-2;
    default: return 0;
  }
}

// Returns whether elements are sums or products of several terms, which may underflow or cancel to a zero of either sign.
bool sums(const ir::Graph& graph) {
  const auto accumulates = [](const ir::Graph* body) {
    const ir::Op* op = ir::reduction_op(*body);
    return op == &ir::ops::add || op == &ir::ops::multiply;
  };
  return std::ranges::any_of(graph.nodes(), [&](const ir::Node* n) {
    return n->op->kind == ir::Kind::contraction || std::ranges::any_of(n->regions, accumulates);
  });
}

// Tolerances are relative to the largest element, since the terms of a sum may be that large.
void expect_sample_close(const ir::Array& got, const ir::Array& want, bool any_zero) {
  ASSERT_EQ(got.type(), want.type());
  double scale = 1;
  for (std::int64_t i = 0; i < want.size(); ++i)
    if (std::isfinite(want.element(i))) scale = std::max(scale, std::min(std::abs(want.element(i)), 1e3));
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.element(i), b = want.element(i);
    if (std::isnan(b)) {
      ASSERT_TRUE(std::isnan(a)) << "at " << i << ": " << a;
    } else if (a == 0 && b == 0 && !any_zero) {
      ASSERT_EQ(std::signbit(a), std::signbit(b)) << "zero at " << i;
    } else if (std::isinf(b) || relative_tolerance(got.dtype()) == 0) {
      ASSERT_EQ(a, b) << "at " << i;
    } else {
      ASSERT_NEAR(a, b, relative_tolerance(got.dtype()) * (scale + std::abs(b))) << "at " << i;
    }
  }
}

class EveryOp : public testing::TestWithParam<const ir::Op*> {};

void expect_compiled_equals_interpreted(const ir::OpSample& sample) {
  SCOPED_TRACE(sample.name);
  compiler::Report report;
  const auto executable = compiler::compile(*sample.graph, {}, &report);
  // Only a custom_call with a target that is no host function may run in the interpreter.
  const ir::Node* const call = ir::find_node(*sample.graph, ir::ops::custom_call);
  const bool is_foreign = call && !ir::find_host_function(call->attributes<ir::CustomCallAttributes>().target);
  ASSERT_EQ(report.fallbacks.empty(), !is_foreign) << testing::PrintToString(report.fallbacks);
  const auto check = [&](const std::vector<ir::Array>& inputs) {
    const auto want = ir::interpret(*sample.graph, inputs);
    const auto got = test::run(executable, inputs);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_sample_close(got[i], want[i], sums(*sample.graph));
    for (const ir::Array& input : inputs) ASSERT_FALSE(testing::Test::HasFatalFailure()) << "of " << input;
  };
  check(ir::random_inputs(sample));
  for (std::uint64_t seed = 0; seed < 16 && !testing::Test::HasFatalFailure(); ++seed)
    check(ir::edge_inputs(sample, seed));
}

TEST_P(EveryOp, CompiledEqualsInterpreted) {
  for (const ir::OpSample& sample : ir::samples(*GetParam())) {
    if (GetParam()->interpreted) {
      EXPECT_THROW(compiler::compile(*sample.graph), UnsupportedError) << sample.name;
      continue;
    }
    expect_compiled_equals_interpreted(sample);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace weft
