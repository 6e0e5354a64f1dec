#include <limits>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/linalg.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

constexpr std::int64_t spatial[] = {2, 3};
constexpr std::int64_t none[] = {0, 0}, ones[] = {1, 1};

Value convolve(Frame& frame, Value x, Value weight, const ConvOptions& options) {
  frame.require(x.rank() == 4 && weight.rank() == 4,
                "expected [batch, channels, height, width] and a weight of rank 4, got ", x.type(), " and ",
                weight.type());
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

}  // namespace

Tensor conv2d(const Operand& x, const Operand& weight, const ConvOptions& options) {
  Frame frame("conv2d", x);
  const auto [value, kernel] = detail::promoted(frame, x, weight);
  return frame.tensor(convolve(frame, value, kernel, options));
}

Tensor conv2d(const Operand& x, const Operand& weight, const Operand& bias, const ConvOptions& options) {
  Frame frame("conv2d", x);
  const auto [value, kernel] = detail::promoted(frame, x, weight);
  const Value result = convolve(frame, value, kernel, options);
  const Value offset = detail::as(frame.value(bias), result.dtype());
  frame.require(offset.rank() == 1 && offset.type().dim(0) == kernel.type().dim(0), "the bias ", offset.type(),
                " does not fit the weight ", kernel.type());
  const std::int64_t channels[] = {1};
  return frame.tensor(result + ir::broadcast_in_dim(offset, result.type(), channels));
}

namespace {

Value pool(Frame& frame, Value x, const Pair2d& window, const Pair2d& stride, const Pair2d& padding, Value init,
           const ir::Op& op) {
  frame.require(x.rank() == 4, "expected [batch, channels, height, width], got ", x.type());
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
  return frame.tensor(sums * (1.0 / static_cast<double>(window[0] * window[1])));
}

}  // namespace weft
