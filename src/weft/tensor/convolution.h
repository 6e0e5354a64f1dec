// Convolutions and pools. Operands of different dtypes are promoted; sums of 16-bit floats accumulate in f32.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// One number for both spatial dimensions, or one for each: {height, width}.
class Pair2d {
 public:
  Pair2d(std::integral auto both) : Pair2d(both, both) {}  // NOLINT
  Pair2d(std::int64_t height, std::int64_t width) : values_{height, width} {}
  operator std::span<const std::int64_t>() const { return values_; }  // NOLINT
  std::int64_t operator[](std::integral auto i) const { return values_[i]; }

 private:
  std::array<std::int64_t, 2> values_;
};

struct ConvOptions {
  Pair2d stride = 1;
  Pair2d padding = 0;  // zeros added on both sides
  Pair2d dilation = 1;
  std::int64_t groups = 1;
};
// PyTorch's conv2d: x [batch, in, height, width] with weight [out, in / groups, kernel height, kernel width] and bias [out].
Tensor conv2d(const Operand& x, const Operand& weight, const ConvOptions& options = {});
Tensor conv2d(const Operand& x, const Operand& weight, const Operand& bias, const ConvOptions& options = {});

// PyTorch's conv1d: x [batch, in, time] with weight [out, in / groups, window] and bias [out].
struct Conv1dOptions {
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};
Tensor conv1d(const Operand& x, const Operand& weight, const Conv1dOptions& options = {});
Tensor conv1d(const Operand& x, const Operand& weight, const Operand& bias, const Conv1dOptions& options = {});

// PyTorch's conv_transpose2d, the gradient of conv2d with respect to its input: x [batch, in, height, width] with
// weight [in, out / groups, kernel height, kernel width]. Each spatial size of the result is (size - 1) * stride - 2 *
// padding + dilation * (kernel - 1) + output_padding + 1.
struct ConvTransposeOptions {
  Pair2d stride = 1, padding = 0;
  Pair2d output_padding = 0;  // added on one side; must be less than the stride
  Pair2d dilation = 1;
  std::int64_t groups = 1;
};
Tensor conv_transpose2d(const Operand& x, const Operand& weight, const ConvTransposeOptions& options = {});
Tensor conv_transpose2d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTransposeOptions& options = {});

// The maximum or the mean of each window of x [batch, channels, height, width]. A stride of 0 means the size of the
// window. Padding is never the maximum and counts as zeros in the mean.
Tensor max_pool2d(const Operand& x, Pair2d window, Pair2d stride = 0, Pair2d padding = 0);
Tensor avg_pool2d(const Operand& x, Pair2d window, Pair2d stride = 0, Pair2d padding = 0);

}  // namespace weft
