#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

std::int64_t at_or(Ints list, int i, std::int64_t otherwise) { return list.empty() ? otherwise : list[i]; }

}  // namespace

WindowDim window_dim(const ReduceWindowAttributes& w, int i) {
  return {.size = w.window_dimensions[i],
          .stride = at_or(w.window_strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0),
          .base_dilation = at_or(w.base_dilations, i, 1),
          .dilation = at_or(w.window_dilations, i, 1)};
}

WindowDim window_dim(const SelectAndScatterAttributes& w, int i) {
  return {.size = at_or(w.window_dimensions, i, 1),
          .stride = at_or(w.window_strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0)};
}

WindowDim window_dim(const ConvolutionAttributes& w, int i, std::int64_t kernel_size) {
  return {.size = kernel_size,
          .stride = at_or(w.strides, i, 1),
          .low = at_or(w.padding, 2 * i, 0),
          .high = at_or(w.padding, 2 * i + 1, 0),
          .base_dilation = at_or(w.lhs_dilation, i, 1),
          .dilation = at_or(w.rhs_dilation, i, 1),
          .reversed = at_or(w.reversal, i, 0) != 0};
}

}  // namespace weft::ir
