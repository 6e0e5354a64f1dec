// Convolutions of many kinds, for tests of those who compute them.
#pragma once

#include <memory>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::test {

struct Convolution {
  std::vector<Dim> x, kernel;
  std::vector<std::int64_t> strides = {}, padding = {}, dilation = {};
  std::int64_t feature_groups = 1, batch_groups = 1;
  bool channels_last = false;
  std::vector<std::int64_t> base_dilation = {}, reversal = {};
};

std::vector<Convolution> convolutions();

// Returns a function of the input and the kernel: the gradients of both, and the convolution.
std::shared_ptr<const ir::Graph> convolution_with_gradients(const Convolution& c, DType dtype);

}  // namespace weft::test
