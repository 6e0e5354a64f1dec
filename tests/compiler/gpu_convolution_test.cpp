// Convolutions on a GPU: sums of slices and products of patches, run on the twin; none is left to the host.
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "arrays.h"
#include "convolutions.h"
#include "run.h"
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

// An image network's layer and its gradients, for any batch.
TEST(GpuConvolution, OfAnyBatch) {
  const auto layer = [](std::int64_t batch) {
    const Type x(DType::f32, {batch, 9, 8, 4}), kernel(DType::f32, {3, 3, 4, 5});
    return ir::make_graph(std::vector{x, kernel}, [](ir::Graph& g, std::span<const ir::Value> in) {
      const std::int64_t image[] = {1, 2}, window[] = {0, 1}, strides[] = {2, 1}, padding[] = {1, 1, 1, 1};
      const ir::ConvolutionAttributes a{.input_feature = 3,
                                        .input_spatial = image,
                                        .kernel_input_feature = 2,
                                        .kernel_output_feature = 3,
                                        .kernel_spatial = window,
                                        .output_feature = 3,
                                        .output_spatial = image,
                                        .strides = strides,
                                        .padding = padding,
                                        .lhs_dilation = {},
                                        .rhs_dilation = {},
                                        .reversal = {}};
      const std::int64_t pool[] = {1, 2, 2, 1}, edge[] = {0, 0, 0, 1, 0, 0, 0, 0};
      const ir::Value y =
          ir::reduce_window(ir::convolution(in[0], in[1], a), ir::constant(g, Type(DType::f32, {}), -10),
                            {.window_dimensions = pool,
                             .window_strides = pool,
                             .base_dilations = {},
                             .window_dilations = {},
                             .padding = edge},
                            ir::reduction_body(ir::ops::maximum, DType::f32));
      std::vector<ir::Value> results = ir::gradient(g, std::vector{y}, std::vector{ir::tanh(y)}, in);
      results.push_back(y);
      return results;
    });
  };
  const std::vector<std::shared_ptr<const ir::Graph>> samples{layer(3), layer(7)};
  const ir::General general = ir::generalise(samples);
  for (const char* target : {"twin", "sm_90"}) {
    compiler::Options options{.sizes = SizeValues({7})};
    try {
      options.target = &compiler::Target::named(target);
    } catch (const Error&) {
      continue;  // this LLVM makes no code for GPUs
    }
    const auto program = compiler::compile_for_sizes(*general.graph, options);
    for (const std::int64_t batch : {1, 7, 4}) {
      const auto executable = program->at({batch}, {});
      ASSERT_TRUE(executable) << executable.reason();
      if (options.target->is_nvidia()) {
        for (const auto& thunk : (*executable)->thunks) EXPECT_TRUE(thunk->on_device) << thunk->info.name;
        continue;
      }
      const auto graph = layer(batch);
      const std::vector<ir::Array> inputs = test::normal_inputs(*graph), want = ir::interpret(*graph, inputs),
                                   got = test::run(*executable, inputs);
      for (std::size_t i = 0; i < want.size(); ++i) test::expect_near(got[i], want[i]);
    }
  }
}

}  // namespace
}  // namespace weft
