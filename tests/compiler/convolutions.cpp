#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>

#include "convolutions.h"

namespace weft::test {

std::vector<Convolution> convolutions() {
  return {
      {.x = {2, 16, 14, 14}, .kernel = {32, 16, 3, 3}, .padding = {1, 1, 1, 1}},
      {.x = {2, 16, 15, 14}, .kernel = {24, 16, 3, 3}, .strides = {2, 2}, .padding = {1, 1, 1, 1}},
      {.x = {2, 16, 9, 11}, .kernel = {8, 16, 1, 1}, .strides = {2, 1}},
      {.x = {2, 16, 20}, .kernel = {12, 8, 5}, .strides = {3}, .padding = {2, 1}, .dilation = {2}, .feature_groups = 2},
      {.x = {2, 16, 8, 8}, .kernel = {16, 1, 3, 3}, .padding = {1, 1, 1, 1}, .feature_groups = 16},
      {.x = {4, 6, 12}, .kernel = {8, 6, 3}, .padding = {1, 1}, .batch_groups = 2},
      {.x = {1, 4, 6, 7, 5}, .kernel = {6, 4, 3, 2, 3}, .strides = {1, 2, 1}, .padding = {1, 1, 0, 1, 2, 0}},
      {.x = {2, 10, 12, 16},
       .kernel = {3, 3, 16, 8},
       .strides = {1, 2},
       .padding = {1, 1, -1, 0},
       .channels_last = true},
      // Transposed: the gradient of the kernel has a dilated base.
      {.x = {2, 16, 7, 6}, .kernel = {8, 16, 3, 3}, .padding = {1, 2, 1, 2}, .base_dilation = {2, 2}},
      {.x = {1, 1, 9, 10}, .kernel = {16, 1, 3, 3}, .padding = {1, 1, 1, 1}},
      {.x = {2, 6, 10, 9}, .kernel = {8, 6, 3, 2}, .padding = {1, 1, 0, 1}, .reversal = {1, 0}},
      // Large kernels, one of them wider than the result.
      {.x = {1, 2, 20, 20}, .kernel = {3, 2, 9, 9}},
      {.x = {2, 3, 20, 5}, .kernel = {4, 3, 9, 9}, .padding = {4, 4, 4, 4}, .reversal = {0, 1}},
      {.x = {2, 6, 7}, .kernel = {8, 6, 3}, .strides = {2}, .padding = {2, 2}, .base_dilation = {3}, .reversal = {1}},
  };
}

std::shared_ptr<const ir::Graph> convolution_with_gradients(const Convolution& c, DType dtype) {
  return ir::make_graph(
      std::vector{Type(dtype, c.x), Type(dtype, c.kernel)}, [&](ir::Graph& g, std::span<const ir::Value> in) {
        std::vector<std::int64_t> first, middle, last;
        for (std::int64_t i = 0; i < in[0].rank() - 2; ++i) {
          first.push_back(i);
          middle.push_back(i + 1);
          last.push_back(i + 2);
        }
        ir::ConvolutionAttributes a;
        a.input_spatial = a.kernel_spatial = a.output_spatial = last;
        if (c.channels_last) {
          a.input_spatial = a.output_spatial = middle;
          a.kernel_spatial = first;
          a.input_feature = a.output_feature = a.kernel_output_feature = in[0].rank() - 1;
          a.kernel_input_feature = in[0].rank() - 2;
        }
        a.strides = c.strides;
        a.padding = c.padding;
        a.lhs_dilation = c.base_dilation;
        a.rhs_dilation = c.dilation;
        a.reversal = c.reversal;
        a.feature_groups = c.feature_groups;
        a.batch_groups = c.batch_groups;
        const ir::Value y = ir::convolution(in[0], in[1], a);
        std::vector<ir::Value> results = ir::gradient(g, std::vector{y}, std::vector{ir::tanh(y)}, in);
        results.push_back(y);
        return results;
      });
}

}  // namespace weft::test
