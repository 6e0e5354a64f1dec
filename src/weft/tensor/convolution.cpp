#include <weft/tensor/convolution.h>

#include <limits>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

constexpr std::int64_t spatial[] = {2, 3};
constexpr std::int64_t none[] = {0, 0}, ones[] = {1, 1};

// Throws Error unless a window of `taps` elements fits into the padded dimension.
void require_window(Frame& frame, Type x, int dimension, std::int64_t taps, std::int64_t stride, std::int64_t dilation,
                    std::int64_t padding) {
  frame.require(taps >= 1 && stride >= 1 && dilation >= 1, "window, stride and dilation must be positive, got ", taps,
                ", ", stride, " and ", dilation);
  frame.require(padding >= 0, "the padding must not be negative, got ", padding);
  const std::int64_t size = x.size(dimension) + 2 * padding, reach = (taps - 1) * dilation + 1;
  frame.require(reach <= size, "a window of ", reach, " does not fit dimension ", dimension, " of ", x, ", which has ",
                size, " elements with its padding");
}

Value convolve(Frame& frame, Value x, Value weight, const ConvOptions& options) {
  frame.require(x.rank() == 4 && weight.rank() == 4,
                "expected [batch, channels, height, width] and a weight of rank 4, got ", x.type(), " and ",
                weight.type());
  for (int i = 0; i < 2; ++i)
    require_window(frame, x.type(), 2 + i, weight.size(2 + i), options.stride[i], options.dilation[i],
                   options.padding[i]);
  frame.require(
      options.groups > 0 && x.size(1) == weight.size(1) * options.groups && weight.size(0) % options.groups == 0,
      "the weight ", weight.type(), " does not fit ", x.type(), " in ", options.groups, " groups");
  const Pair2d& pad = options.padding;
  const std::int64_t padding[] = {pad[0], pad[0], pad[1], pad[1]};
  ir::ConvolutionAttributes attributes;
  attributes.input_spatial = attributes.kernel_spatial = attributes.output_spatial = spatial;
  attributes.strides = options.stride;
  attributes.padding = padding;
  attributes.lhs_dilation = ones;
  attributes.rhs_dilation = options.dilation;
  attributes.reversal = none;
  attributes.feature_groups = options.groups;
  return ir::convolution(x, weight, attributes);
}

Value with_bias(Frame& frame, Value result, const Operand& bias) {
  const Value offset = detail::as(frame.value(bias), result.dtype());
  frame.require(offset.rank() == 1 && offset.type().dim(0) == result.type().dim(1), "the bias ", offset.type(),
                " does not fit the result ", result.type());
  const std::int64_t channels[] = {1};
  return result + ir::broadcast_in_dim(offset, result.type(), channels);
}

// Treats a line as an image of height 1.
Value convolve_line(Frame& frame, Value x, Value weight, const Conv1dOptions& options) {
  frame.require(x.rank() == 3 && weight.rank() == 3, "expected [batch, channels, time] and a weight of rank 3, got ",
                x.type(), " and ", weight.type());
  const auto image = [](Value v) {
    return ir::reshape(v, {v.type().dim(0), v.type().dim(1), Dim(1), v.type().dim(2)});
  };
  const Value y = convolve(frame, image(x), image(weight),
                           {.stride = {1, options.stride},
                            .padding = {0, options.padding},
                            .dilation = {1, options.dilation},
                            .groups = options.groups});
  return ir::reshape(y, {y.type().dim(0), y.type().dim(1), y.type().dim(3)});
}

// Computes a transposed convolution: a convolution with the reversed kernel over x with zeros inserted between its
// elements.
Value convolve_transposed(Frame& frame, Value x, Value weight, const ConvTransposeOptions& options) {
  frame.require(x.rank() == 4 && weight.rank() == 4,
                "expected [batch, channels, height, width] and a weight of rank 4, got ", x.type(), " and ",
                weight.type());
  const std::int64_t groups = options.groups;
  frame.require(groups > 0 && x.size(1) == weight.size(0) && x.size(1) % groups == 0, "the weight ", weight.type(),
                " does not fit ", x.type(), " in ", groups, " groups");
  std::int64_t padding[4];
  for (int i = 0; i < 2; ++i) {
    const std::int64_t reach = options.dilation[i] * (weight.size(2 + i) - 1);
    frame.require(options.stride[i] >= 1 && options.dilation[i] >= 1, "stride and dilation must be positive, got ",
                  options.stride[i], " and ", options.dilation[i]);
    frame.require(options.output_padding[i] >= 0 && options.output_padding[i] < options.stride[i],
                  "the output padding must be less than the stride, got ", options.output_padding[i], " and ",
                  options.stride[i]);
    frame.require(options.padding[i] >= 0, "the padding must not be negative, got ", options.padding[i]);
    const std::int64_t size = (x.size(2 + i) - 1) * options.stride[i] + 1 + reach - 2 * options.padding[i];
    frame.require(size > 0, "no elements are left in dimension ", 2 + i, " of ", x.type(), " with a padding of ",
                  options.padding[i]);
    padding[2 * i] = reach - options.padding[i];
    padding[2 * i + 1] = reach - options.padding[i] + options.output_padding[i];
  }
  // Rearranges the weight from [in, out / groups, ...] to [out, in / groups, ...].
  const Dim in = Dim(weight.size(0) / groups), out = weight.type().dim(1), height = weight.type().dim(2),
            width = weight.type().dim(3);
  const std::int64_t order[] = {0, 2, 1, 3, 4};
  const Value split = ir::transpose(ir::reshape(weight, {Dim(groups), in, out, height, width}), order);
  const Value kernel = ir::reshape(split, {Dim(groups * weight.size(1)), in, height, width});
  const std::int64_t reversal[] = {1, 1};
  ir::ConvolutionAttributes attributes;
  attributes.input_spatial = attributes.kernel_spatial = attributes.output_spatial = spatial;
  attributes.strides = ones;
  attributes.padding = padding;
  attributes.lhs_dilation = options.stride;
  attributes.rhs_dilation = options.dilation;
  attributes.reversal = reversal;
  attributes.feature_groups = groups;
  return ir::convolution(x, kernel, attributes);
}

// Implements one convolution of the public API; `bias` may be null.
template <class Options>
Tensor convolution(const char* name, Value (*convolve)(Frame&, Value, Value, const Options&), const Operand& x,
                   const Operand& weight, const Operand* bias, const Options& options) {
  Frame frame(name, x);
  const auto [value, kernel] = detail::contracted(frame, x, weight);
  const Value result = convolve(frame, value, kernel, options);
  return frame.tensor(bias ? with_bias(frame, result, *bias) : result);
}

}  // namespace

Tensor conv2d(const Operand& x, const Operand& weight, const ConvOptions& options) {
  return convolution("conv2d", convolve, x, weight, nullptr, options);
}

Tensor conv2d(const Operand& x, const Operand& weight, const Operand& bias, const ConvOptions& options) {
  return convolution("conv2d", convolve, x, weight, &bias, options);
}

Tensor conv1d(const Operand& x, const Operand& weight, const Conv1dOptions& options) {
  return convolution("conv1d", convolve_line, x, weight, nullptr, options);
}

Tensor conv1d(const Operand& x, const Operand& weight, const Operand& bias, const Conv1dOptions& options) {
  return convolution("conv1d", convolve_line, x, weight, &bias, options);
}

Tensor conv_transpose2d(const Operand& x, const Operand& weight, const ConvTransposeOptions& options) {
  return convolution("conv_transpose2d", convolve_transposed, x, weight, nullptr, options);
}

Tensor conv_transpose2d(const Operand& x, const Operand& weight, const Operand& bias,
                        const ConvTransposeOptions& options) {
  return convolution("conv_transpose2d", convolve_transposed, x, weight, &bias, options);
}

namespace {

Value pool(Frame& frame, Value x, const Pair2d& window, const Pair2d& stride, const Pair2d& padding, Value init,
           const ir::Op& op) {
  frame.require(x.rank() == 4, "expected [batch, channels, height, width], got ", x.type());
  for (int i = 0; i < 2; ++i) {
    require_window(frame, x.type(), 2 + i, window[i], stride[i] ? stride[i] : window[i], 1, padding[i]);
    frame.require(2 * padding[i] <= window[i], "a padding of ", padding[i], " is more than half of the window ",
                  window[i]);
  }
  const std::int64_t windows[] = {1, 1, window[0], window[1]};
  const std::int64_t strides[] = {1, 1, stride[0] ? stride[0] : window[0], stride[1] ? stride[1] : window[1]};
  const std::int64_t dilations[] = {1, 1, 1, 1};
  const std::int64_t paddings[] = {0, 0, 0, 0, padding[0], padding[0], padding[1], padding[1]};
  return ir::reduce_window(x, init, {windows, strides, dilations, dilations, paddings},
                           ir::reduction_body(op, x.dtype()));
}

}  // namespace

Tensor max_pool2d(const Operand& x, Pair2d window, Pair2d stride, Pair2d padding) {
  Frame frame("max_pool2d", x);
  const Value value = frame.value(x);
  frame.require(is_float(value.dtype()), "expected floating point, got ", value.type());
  const Value lowest = ir::constant(frame.graph(), Type(value.dtype(), {}), -std::numeric_limits<double>::infinity());
  return frame.tensor(pool(frame, value, window, stride, padding, lowest, ir::ops::maximum));
}

Tensor avg_pool2d(const Operand& x, Pair2d window, Pair2d stride, Pair2d padding) {
  Frame frame("avg_pool2d", x);
  const Value value = detail::floating(frame, x);
  const Value zero = ir::constant(frame.graph(), Type(value.dtype(), {}), 0);
  const Value sums = pool(frame, value, window, stride, padding, zero, ir::ops::add);
  return frame.tensor(sums * (1.0 / (window[0] * window[1])));
}

}  // namespace weft
