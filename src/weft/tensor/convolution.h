// Convolutions of lines [batch, channels, time], images [batch, channels, height, width] and volumes [batch, channels, depth, height,
// width]. Operands of different dtypes are promoted; sums of 16-bit floats accumulate in f32.
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/spatial.h>
#include <weft/tensor/tensor.h>

namespace weft {

template <int N>
struct ConvOptionsOf {
  Spatial<N> stride = 1;
  Spatial<N> padding = 0;  // zeros added on both sides
  Spatial<N> dilation = 1;
  std::int64_t groups = 1;
};
using Conv1dOptions = ConvOptionsOf<1>;
using ConvOptions = ConvOptionsOf<2>;
using Conv3dOptions = ConvOptionsOf<3>;

// PyTorch's conv1d, conv2d and conv3d: x [batch, in, spatial...] with weight [out, in / groups, window...] and bias [out].
Tensor conv1d(const Operand& x, const Operand& weight, const Conv1dOptions& options = {});
Tensor conv1d(const Operand& x, const Operand& weight, const Operand& bias, const Conv1dOptions& options = {});
Tensor conv2d(const Operand& x, const Operand& weight, const ConvOptions& options = {});
Tensor conv2d(const Operand& x, const Operand& weight, const Operand& bias, const ConvOptions& options = {});
Tensor conv3d(const Operand& x, const Operand& weight, const Conv3dOptions& options = {});
Tensor conv3d(const Operand& x, const Operand& weight, const Operand& bias, const Conv3dOptions& options = {});

template <int N>
struct ConvTransposeOptionsOf {
  Spatial<N> stride = 1, padding = 0;
  Spatial<N> output_padding = 0;  // added on one side; must be less than the stride
  Spatial<N> dilation = 1;
  std::int64_t groups = 1;
};
using ConvTranspose1dOptions = ConvTransposeOptionsOf<1>;
using ConvTransposeOptions = ConvTransposeOptionsOf<2>;
using ConvTranspose3dOptions = ConvTransposeOptionsOf<3>;

// PyTorch's transposed convolutions, the gradient of a convolution with respect to its input: x [batch, in, spatial...] with weight [in,
// out / groups, window...]. Each spatial size of the result is (size - 1) * stride - 2 * padding + dilation * (window - 1) +
// output_padding + 1.
Tensor conv_transpose1d(const Operand& x, const Operand& weight, const ConvTranspose1dOptions& options = {});
Tensor conv_transpose1d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTranspose1dOptions& options = {});
Tensor conv_transpose2d(const Operand& x, const Operand& weight, const ConvTransposeOptions& options = {});
Tensor conv_transpose2d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTransposeOptions& options = {});
Tensor conv_transpose3d(const Operand& x, const Operand& weight, const ConvTranspose3dOptions& options = {});
Tensor conv_transpose3d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTranspose3dOptions& options = {});

}  // namespace weft
