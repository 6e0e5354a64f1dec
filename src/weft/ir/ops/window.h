// Windows of reduce_window, select_and_scatter and convolution, one dimension at a time. A list attribute may be empty, which
// means 1 for strides and dilations and 0 for padding and reversal, as in StableHLO.
#pragma once

#include <weft/ir/attributes.h>

namespace weft::ir {

struct WindowDim {
  std::int64_t size = 1, stride = 1;
  std::int64_t low = 0, high = 0;  // padding of the dilated base; negative values crop
  std::int64_t base_dilation = 1, dilation = 1;
  bool reversed = false;

  // Returns whether each window is exactly one element of the base, in order; such a dimension may be symbolic.
  bool is_trivial() const { return size == 1 && stride == 1 && low == 0 && high == 0 && base_dilation == 1; }
  // Return extents that include the holes of dilation.
  std::int64_t dilated_size() const { return size == 0 ? 0 : (size - 1) * dilation + 1; }
  std::int64_t dilated_base(std::int64_t base) const { return base == 0 ? 0 : (base - 1) * base_dilation + 1; }
  // Returns the number of window positions over a base of this size.
  std::int64_t positions(std::int64_t base) const {
    const std::int64_t padded = low + dilated_base(base) + high, window = dilated_size();
    return padded <= 0 || window > padded ? 0 : (padded - window) / stride + 1;
  }
};

// Return the window of dimension `i` of the operand, or of spatial dimension `i` of a convolution, which needs the kernel size.
WindowDim window_dim(const ReduceWindowAttributes& window, int i);
WindowDim window_dim(const SelectAndScatterAttributes& window, int i);
WindowDim window_dim(const ConvolutionAttributes& window, int i, std::int64_t kernel_size);

}  // namespace weft::ir
