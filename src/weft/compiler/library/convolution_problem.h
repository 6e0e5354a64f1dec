// A convolution in oneDNN's terms. The forward pass computes src * weights = dst; each pass computes one of the three from the two others.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <weft/compiler/loop/convolution_shape.h>

namespace weft::compiler {

enum class ConvolutionPass : std::uint8_t { forward, backward_data, backward_weights };

struct ConvolutionProblem {
  ConvolutionPass pass = ConvolutionPass::forward;
  ConvolutionTensor src, weights, dst;  // weights: output feature, input feature of a group, spatial...
  std::int64_t groups = 1;
  std::size_t split = 0;  // the dimension of the weights that counts the features of all groups
  std::vector<std::int64_t> strides = {}, dilations = {}, low = {}, high = {};  // dilations: 0 is dense
  // Spatial dimensions of the weights whose order in memory is reversed; empty if none is.
  std::vector<bool> reversed = {};
  // Says which of src (0), weights (1) and dst (2) the convolution's lhs, rhs and result are.
  std::array<int, 3> roles = {0, 1, 2};
};

// Returns the problems whose solution is this convolution, the one likely to be the fastest first; empty if oneDNN cannot express it.
std::vector<ConvolutionProblem> convolution_problems(const ConvolutionShape& shape);

}  // namespace weft::compiler
