// A convolution with its dimensions in a fixed order, whatever their order in memory.
#pragma once

#include <cstdint>
#include <vector>

#include <weft/ir/graph.h>
#include <weft/ir/ops/window.h>

namespace weft::compiler {

// Sizes and strides in elements: batch, feature, spatial dimensions...; for a kernel: output feature, input feature, spatial...
struct ConvolutionTensor {
  std::vector<std::int64_t> sizes, strides;

  std::int64_t spatial_elements() const;
};

struct ConvolutionShape {
  ConvolutionTensor x, kernel, y;
  std::vector<ir::WindowDim> window;  // of each spatial dimension
  std::int64_t feature_groups = 1, batch_groups = 1;
  DType dtype = DType::f32, result = DType::f32;

  std::int64_t flops() const;  // counts multiplications with padding, but not with the zeros of lhs_dilation
};

ConvolutionShape convolution_shape(const ir::Node& convolution);

}  // namespace weft::compiler
