#include <weft/tensor/convolution.h>

#include <vector>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/windows.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

using detail::Sizes;
using Numbers = std::vector<std::int64_t>;

struct ConvWindow {
  Sizes stride, padding, dilation, output_padding;
  std::int64_t groups;
};

void require_ranks(Frame& frame, Value x, Value weight, const ConvWindow& window) {
  const std::int64_t spatial = std::ssize(window.stride);
  frame.require(x.rank() == spatial + 2 && weight.rank() == spatial + 2, "expected ",
                detail::with_spatial_dimensions(spatial), " and a weight of rank ", spatial + 2, ", got ", x.type(),
                " and ", weight.type());
}

// Batch and features come first in x, weight and result.
Value convolution_of(Value x, Value weight, Sizes strides, const Numbers& padding, Sizes base_dilation, Sizes dilation,
                     bool reversed, std::int64_t groups) {
  Numbers spatial, reversal;
  for (std::int64_t d = 2; d < x.rank(); ++d) {
    spatial.push_back(d);
    reversal.push_back(reversed ? 1 : 0);
  }
  ir::ConvolutionAttributes attributes;
  attributes.input_spatial = attributes.kernel_spatial = attributes.output_spatial = spatial;
  attributes.strides = strides;
  attributes.padding = padding;
  attributes.lhs_dilation = base_dilation;
  attributes.rhs_dilation = dilation;
  attributes.reversal = reversal;
  attributes.feature_groups = groups;
  return ir::convolution(x, weight, attributes);
}

Value convolve(Frame& frame, Value x, Value weight, const ConvWindow& window) {
  require_ranks(frame, x, weight, window);
  Numbers padding;
  for (int i = 0; i < x.rank() - 2; ++i) {
    detail::require_window(frame, x.type(), 2 + i, weight.size(2 + i), window.stride[i], window.dilation[i],
                           window.padding[i]);
    padding.insert(padding.end(), 2, window.padding[i]);
  }
  frame.require(window.groups > 0 && x.size(1) == weight.size(1) * window.groups && weight.size(0) % window.groups == 0,
                "the weight ", weight.type(), " does not fit ", x.type(), " in ", window.groups, " groups");
  const Numbers ones(window.stride.size(), 1);
  return convolution_of(x, weight, window.stride, padding, ones, window.dilation, false, window.groups);
}

// Computes a transposed convolution: a convolution with the reversed kernel over x with zeros inserted between its
// elements.
Value convolve_transposed(Frame& frame, Value x, Value weight, const ConvWindow& window) {
  require_ranks(frame, x, weight, window);
  const std::int64_t groups = window.groups;
  frame.require(groups > 0 && x.size(1) == weight.size(0) && x.size(1) % groups == 0, "the weight ", weight.type(),
                " does not fit ", x.type(), " in ", groups, " groups");
  Numbers padding;
  for (int i = 0; i < x.rank() - 2; ++i) {
    const std::int64_t reach = window.dilation[i] * (weight.size(2 + i) - 1);
    frame.require(window.stride[i] >= 1 && window.dilation[i] >= 1, "stride and dilation must be positive, got ",
                  window.stride[i], " and ", window.dilation[i]);
    frame.require(window.output_padding[i] >= 0 && window.output_padding[i] < window.stride[i],
                  "the output padding must be less than the stride, got ", window.output_padding[i], " and ",
                  window.stride[i]);
    frame.require(window.padding[i] >= 0, "the padding must not be negative, got ", window.padding[i]);
    const std::int64_t size = (x.size(2 + i) - 1) * window.stride[i] + 1 + reach - 2 * window.padding[i];
    frame.require(size > 0, "no elements are left in dimension ", 2 + i, " of ", x.type(), " with a padding of ",
                  window.padding[i]);
    padding.push_back(reach - window.padding[i]);
    padding.push_back(reach - window.padding[i] + window.output_padding[i]);
  }
  // Rearranges the weight from [in, out / groups, ...] to [out, in / groups, ...].
  const Dim in = Dim(weight.size(0) / groups), out = weight.type().dim(1);
  const auto taps = weight.type().dims().subspan(2);
  Shape split{Dim(groups), in, out}, joined{Dim(groups * weight.size(1)), in};
  Numbers order{0, 2, 1};
  for (const Dim size : taps) {
    order.push_back(split.rank());
    split.push_back(size);
    joined.push_back(size);
  }
  const Value kernel = ir::reshape(ir::transpose(ir::reshape(weight, split), order), joined);
  const Numbers ones(window.stride.size(), 1);
  return convolution_of(x, kernel, ones, padding, window.stride, window.dilation, true, groups);
}

Value with_bias(Frame& frame, Value result, const Operand& bias) {
  const Value offset = detail::as(frame.value(bias), result.dtype());
  frame.require(offset.rank() == 1 && offset.type().dim(0) == result.type().dim(1), "the bias ", offset.type(),
                " does not fit the result ", result.type());
  const std::int64_t channels[] = {1};
  return result + ir::broadcast_in_dim(offset, result.type(), channels);
}

// Implements one convolution of the public API; `bias` may be null.
Tensor convolution(const char* name, Value (*convolve)(Frame&, Value, Value, const ConvWindow&), const Operand& x,
                   const Operand& weight, const Operand* bias, const ConvWindow& window) {
  Frame frame(name, x);
  const auto [value, kernel] = detail::contracted(frame, x, weight);
  const Value result = convolve(frame, value, kernel, window);
  return frame.tensor(bias ? with_bias(frame, result, *bias) : result);
}

template <int N>
Tensor forward(const char* name, const Operand& x, const Operand& weight, const Operand* bias,
               const ConvOptionsOf<N>& with) {
  return convolution(name, convolve, x, weight, bias, {with.stride, with.padding, with.dilation, {}, with.groups});
}

template <int N>
Tensor transposed(const char* name, const Operand& x, const Operand& weight, const Operand* bias,
                  const ConvTransposeOptionsOf<N>& with) {
  return convolution(name, convolve_transposed, x, weight, bias,
                     {with.stride, with.padding, with.dilation, with.output_padding, with.groups});
}

}  // namespace

Tensor conv1d(const Operand& x, const Operand& weight, const Conv1dOptions& options) {
  return forward("conv1d", x, weight, nullptr, options);
}

Tensor conv1d(const Operand& x, const Operand& weight, const Operand& bias, const Conv1dOptions& options) {
  return forward("conv1d", x, weight, &bias, options);
}

Tensor conv2d(const Operand& x, const Operand& weight, const ConvOptions& options) {
  return forward("conv2d", x, weight, nullptr, options);
}

Tensor conv2d(const Operand& x, const Operand& weight, const Operand& bias, const ConvOptions& options) {
  return forward("conv2d", x, weight, &bias, options);
}

Tensor conv3d(const Operand& x, const Operand& weight, const Conv3dOptions& options) {
  return forward("conv3d", x, weight, nullptr, options);
}

Tensor conv3d(const Operand& x, const Operand& weight, const Operand& bias, const Conv3dOptions& options) {
  return forward("conv3d", x, weight, &bias, options);
}

Tensor conv_transpose1d(const Operand& x, const Operand& weight, const ConvTranspose1dOptions& options) {
  return transposed("conv_transpose1d", x, weight, nullptr, options);
}

Tensor conv_transpose1d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTranspose1dOptions& options) {
  return transposed("conv_transpose1d", x, weight, &bias, options);
}

Tensor conv_transpose2d(const Operand& x, const Operand& weight, const ConvTransposeOptions& options) {
  return transposed("conv_transpose2d", x, weight, nullptr, options);
}

Tensor conv_transpose2d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTransposeOptions& options) {
  return transposed("conv_transpose2d", x, weight, &bias, options);
}

Tensor conv_transpose3d(const Operand& x, const Operand& weight, const ConvTranspose3dOptions& options) {
  return transposed("conv_transpose3d", x, weight, nullptr, options);
}

Tensor conv_transpose3d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTranspose3dOptions& options) {
  return transposed("conv_transpose3d", x, weight, &bias, options);
}

}  // namespace weft
