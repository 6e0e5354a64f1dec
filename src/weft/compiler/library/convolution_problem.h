// A convolution in oneDNN's terms: forward, src * weights = dst; a pass computes one of the three from the two others.
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
  std::vector<bool> reversed =
      {};  // spatial dimensions of the weights that lie the other way round in memory; empty: none
  // Which of src (0), weights (1) and dst (2) the convolution's lhs, rhs and result are.
  std::array<int, 3> roles = {0, 1, 2};
};

// The problems whose solution is this convolution, the likely fastest first; none for what oneDNN cannot express.
std::vector<ConvolutionProblem> convolution_problems(const ConvolutionShape& shape);

}  // namespace weft::compiler
