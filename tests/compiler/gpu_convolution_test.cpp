// Convolutions on a GPU: sums of slices and products of patches, run on the twin; none is left to the host.
#include <gtest/gtest.h>

#include <weft/ir/builder.h>

#include "arrays.h"
#include "convolutions.h"
#include "twin_check.h"

namespace weft {
namespace {

void check(const test::Convolution& c, DType dtype) {
  SCOPED_TRACE(testing::Message() << Type(dtype, c.x) << " * " << Type(dtype, c.kernel));
  const auto graph = test::convolution_with_gradients(c, dtype);
  test::expect_all_on_gpu(*graph);
  std::vector<ir::Array> inputs;
  for (const ir::Value v : graph->inputs()) inputs.push_back(test::random_array(v.type(), inputs.size() + 1));
  test::check_on_twin(*graph, inputs);
}

TEST(GpuConvolution, AndItsGradients) {
  for (const test::Convolution& c : test::convolutions())
    for (const DType dtype : {DType::f32, DType::bf16}) check(c, dtype);
}

}  // namespace
}  // namespace weft
