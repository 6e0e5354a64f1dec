// Every op of the table, compiled alone and fused with its surroundings, against the interpreter, on the samples that all op
// tests share.
#include <cmath>

#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/op.h>

#include "../ir/op_samples.h"
#include "run.h"

namespace weft {
namespace {

double tolerance(DType t) {
  switch (t) {
    case DType::f64: return 1e-11;
    case DType::f32: return 1e-5;
    case DType::f16: return 2e-3;
    case DType::bf16: return 1.6e-2;
    default: return 0;
  }
}

// The largest distance that sums of this sample's terms may have: relative to the largest element.
void expect_close(const ir::Array& got, const ir::Array& want) {
  ASSERT_EQ(got.type(), want.type());
  double scale = 1;
  for (std::int64_t i = 0; i < want.size(); ++i)
    if (std::isfinite(want.element(i))) scale = std::max(scale, std::min(std::abs(want.element(i)), 1e3));
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.element(i), b = want.element(i);
    if (std::isnan(b)) {
      ASSERT_TRUE(std::isnan(a)) << "at " << i << ": " << a;
    } else if (std::isinf(b) || tolerance(got.dtype()) == 0) {
      ASSERT_EQ(a, b) << "at " << i;
    } else {
      ASSERT_NEAR(a, b, tolerance(got.dtype()) * (scale + std::abs(b))) << "at " << i;
    }
  }
}

class EveryOp : public testing::TestWithParam<const ir::Op*> {};

TEST_P(EveryOp, CompiledEqualsInterpreted) {
  for (const ir::OpSample& sample : ir::samples(*GetParam())) {
    SCOPED_TRACE(sample.name);
    const auto inputs = ir::random_inputs(sample);
    const auto want = ir::interpret(*sample.graph, inputs);
    const auto got = test::run_compiled(*sample.graph, inputs);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_close(got[i], want[i]);
    if (testing::Test::HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp, testing::ValuesIn(ir::all_ops().begin(), ir::all_ops().end()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace weft
