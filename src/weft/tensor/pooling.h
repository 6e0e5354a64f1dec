// Pools of lines [batch, channels, time], images [batch, channels, height, width] and volumes [batch, channels, depth, height, width].
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/spatial.h>
#include <weft/tensor/tensor.h>

namespace weft {

template <int N>
struct MaxPoolOptionsOf {
  Spatial<N> stride = 0;   // 0: the size of the window
  Spatial<N> padding = 0;  // on both sides; never the maximum
  Spatial<N> dilation = 1;
  bool ceil_mode = false;  // the last window may reach beyond the padding, as long as it begins before it
};
template <int N>
struct AvgPoolOptionsOf {
  Spatial<N> stride = 0;          // 0: the size of the window
  Spatial<N> padding = 0;         // zeros added on both sides
  bool ceil_mode = false;         // the last window may reach beyond the padding, as long as it begins before it
  bool count_include_pad = true;  // whether a mean counts the zeros of the padding; what lies beyond never counts
  std::int64_t divisor = 0;       // if it is not 0, sums are divided by it (PyTorch's divisor_override)
};
using MaxPool1dOptions = MaxPoolOptionsOf<1>;
using MaxPool2dOptions = MaxPoolOptionsOf<2>;
using MaxPool3dOptions = MaxPoolOptionsOf<3>;
using AvgPool1dOptions = AvgPoolOptionsOf<1>;
using AvgPool2dOptions = AvgPoolOptionsOf<2>;
using AvgPool3dOptions = AvgPoolOptionsOf<3>;

// The maximum or the mean of each window. The gradient of a maximum goes to the first element that equals it.
Tensor max_pool1d(const Operand& x, Spatial<1> window, const MaxPool1dOptions& options = {});
Tensor max_pool2d(const Operand& x, Spatial<2> window, const MaxPool2dOptions& options = {});
Tensor max_pool3d(const Operand& x, Spatial<3> window, const MaxPool3dOptions& options = {});
Tensor avg_pool1d(const Operand& x, Spatial<1> window, const AvgPool1dOptions& options = {});
Tensor avg_pool2d(const Operand& x, Spatial<2> window, const AvgPool2dOptions& options = {});
Tensor avg_pool3d(const Operand& x, Spatial<3> window, const AvgPool3dOptions& options = {});

// The maximum or the mean of each part of x, which is divided into as many parts along each dimension as the result has elements: part i
// of m of n elements begins at floor(i n / m) and ends before ceil((i + 1) n / m).
Tensor adaptive_max_pool1d(const Operand& x, Spatial<1> size);
Tensor adaptive_max_pool2d(const Operand& x, Spatial<2> size);
Tensor adaptive_max_pool3d(const Operand& x, Spatial<3> size);
Tensor adaptive_avg_pool1d(const Operand& x, Spatial<1> size);
Tensor adaptive_avg_pool2d(const Operand& x, Spatial<2> size);
Tensor adaptive_avg_pool3d(const Operand& x, Spatial<3> size);

}  // namespace weft
