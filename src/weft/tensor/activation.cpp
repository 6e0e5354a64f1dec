#include <weft/tensor/activation.h>

#include <weft/ir/composites.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/composites.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

// Applies `build` in f32 if x is a 16-bit float, and converts the result back.
template <class Build>
Tensor widened(const char* function, const Operand& x, Build&& build) {
  Frame frame(function, x);
  const Value value = detail::floating(frame, x);
  return frame.tensor(detail::as(build(detail::as(value, detail::compute_dtype(value.dtype()))), value.dtype()));
}

detail::Pair with_factor(Frame& frame, const Operand& x, const Operand& factor) {
  const Value value = detail::floating(frame, x);
  return detail::broadcast_together(frame, {value, detail::value_as(frame, factor, value.dtype())});
}

Value positive(Value x) { return ir::compare(x, ir::constant_like(x, 0), Direction::GT); }

// x between low and high, and the nearer of them elsewhere, with gradient 0 there and at both. NaN stays.
Value cut(Value x, double low, double high) {
  const Value least = ir::constant_like(x, low), most = ir::constant_like(x, high);
  return ir::select(ir::compare(x, least, Direction::LE), least,
                    ir::select(ir::compare(x, most, Direction::GE), most, x));
}

// x where it is positive, else the result of `rest`, whose operand is never positive: large values must not overflow in the branch that is
// not selected, because its gradient would be 0 * inf.
template <class Rest>
Value positive_or(Value x, Rest&& rest) {
  const Value is_positive = positive(x);
  return ir::select(is_positive, x, rest(ir::select(is_positive, ir::constant_like(x, 0), x)));
}

// Whether x lies between -bound and bound, both included.
Value is_within(Value x, double bound) { return ir::compare(ir::abs(x), ir::constant_like(x, bound), Direction::LE); }

// Subtracts the maximum along the axis; no gradient needs to flow through the maximum.
Value shifted(Value x, const Axes& axis) {
  return x - detail::spread(ir::stop_gradient(ir::reduce_max(x, axis)), x, axis);
}

}  // namespace

namespace detail {

// max(x, 0) + log(1 + exp(-|x|)). Both parts take the same side at 0, where their sum is smooth, so that all derivatives are right.
Value soft_plus(Value x) {
  const Value is_positive = positive(x);
  return ir::select(is_positive, x, ir::constant_like(x, 0)) +
         ir::log_plus_one(ir::exponential(ir::select(is_positive, -x, x)));
}

Value softmax(Value x, std::int64_t axis) {
  if (axis + 1 == x.rank()) return ir::softmax(x);
  const Axes along = axis;
  const Value exponentials = ir::exponential(shifted(x, along));
  return exponentials / spread(ir::reduce_sum(exponentials, along), x, along);
}

Value log_softmax(Value x, std::int64_t axis) {
  if (axis + 1 == x.rank()) return ir::log_softmax(x);
  const Axes along = axis;
  const Value offset = shifted(x, along);
  return offset - spread(ir::log(ir::reduce_sum(ir::exponential(offset), along)), x, along);
}

}  // namespace detail

Tensor relu(const Operand& x) {
  return detail::unary("relu", x, [](Value v) {
    const Value zero = ir::constant_like(v, 0);
    return ir::select(ir::compare(v, zero, Direction::LE), zero, v);  // keeps NaN
  });
}

Tensor relu6(const Operand& x) {
  return detail::unary("relu6", x, [](Value v) { return cut(v, 0, 6); });
}

Tensor leaky_relu(const Operand& x, const Operand& slope) {
  Frame frame("leaky_relu", x);
  const auto [value, factor] = with_factor(frame, x, slope);
  return frame.tensor(positive_or(value, [&](Value rest) { return rest * factor; }));
}

Tensor prelu(const Operand& x, const Operand& weight) {
  Frame frame("prelu", x);
  const Value value = detail::floating(frame, x);
  Value factor = detail::value_as(frame, weight, value.dtype());
  if (factor.rank() == 1 && factor.size(0) == 1) factor = ir::reshape(factor, {});
  const bool fits =
      factor.rank() == 0 || (factor.rank() == 1 && value.rank() >= 2 && factor.type().dim(0) == value.type().dim(1));
  frame.require(fits, "the weight ", factor.type(), " is neither one number nor one for each channel of ",
                value.type());
  const Axes channels = factor.rank() == 0 ? Axes() : Axes(1);
  factor = ir::broadcast_in_dim(factor, value.type(), channels);
  return frame.tensor(positive_or(value, [&](Value rest) { return rest * factor; }));
}

Tensor elu(const Operand& x, const Operand& alpha) {
  Frame frame("elu", x);
  const auto [value, factor] = with_factor(frame, x, alpha);
  return frame.tensor(positive_or(value, [&](Value rest) { return factor * ir::exponential_minus_one(rest); }));
}

Tensor celu(const Operand& x, const Operand& alpha) {
  Frame frame("celu", x);
  const auto [value, width] = with_factor(frame, x, alpha);
  return frame.tensor(positive_or(value, [&](Value rest) { return width * ir::exponential_minus_one(rest / width); }));
}

Tensor selu(const Operand& x) {
  return widened("selu", x, [](Value v) {
    constexpr double scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
    return positive_or(v, [](Value rest) { return ir::exponential_minus_one(rest) * alpha; }) * scale;
  });
}

Tensor sigmoid(const Operand& x) { return widened("sigmoid", x, ir::logistic); }
Tensor silu(const Operand& x) { return widened("silu", x, ir::silu); }
Tensor softplus(const Operand& x, double beta) {
  return widened("softplus", x,
                 [&](Value v) { return beta == 1 ? detail::soft_plus(v) : detail::soft_plus(v * beta) * (1 / beta); });
}
Tensor log_sigmoid(const Operand& x) {
  return widened("log_sigmoid", x, [](Value v) { return -detail::soft_plus(-v); });
}
Tensor mish(const Operand& x) {
  return widened("mish", x, [](Value v) { return v * ir::tanh(detail::soft_plus(v)); });
}
Tensor hard_tanh(const Operand& x, double low, double high) {
  Frame frame("hard_tanh", x);
  frame.require(low <= high, "the bound ", low, " is above the bound ", high);
  return frame.tensor(cut(detail::floating(frame, x), low, high));
}
Tensor hard_sigmoid(const Operand& x) {
  return widened("hard_sigmoid", x, [](Value v) { return (cut(v, -3, 3) + 3) * (1.0 / 6); });
}
Tensor hard_swish(const Operand& x) {
  return widened("hard_swish", x, [](Value v) {
    const Value zero = ir::constant_like(v, 0), three = ir::constant_like(v, 3);
    const Value is_curved = ir::and_(ir::compare(v, -three, Direction::GT), ir::compare(v, three, Direction::LT));
    const Value curved = ir::select(is_curved, v, zero);  // avoids 0 * inf in the gradient for infinite values
    const Value straight = ir::select(ir::compare(v, zero, Direction::LE), zero, v);  // keeps NaN
    return ir::select(is_curved, curved * (curved + 3) * (1.0 / 6), straight);
  });
}

Tensor hard_shrink(const Operand& x, double lambda) {
  Frame frame("hard_shrink", x);
  const Value value = detail::floating(frame, x);
  return frame.tensor(ir::select(is_within(value, lambda), ir::constant_like(value, 0), value));
}
Tensor softshrink(const Operand& x, double lambda) {
  Frame frame("softshrink", x);
  frame.require(lambda >= 0, "lambda cannot be negative, got ", lambda);
  const Value value = detail::floating(frame, x);
  const Value moved = ir::select(positive(value), value + -lambda, value + lambda);
  return frame.tensor(ir::select(is_within(value, lambda), ir::constant_like(value, 0), moved));
}
Tensor tanhshrink(const Operand& x) {
  return widened("tanhshrink", x, [](Value v) { return v - ir::tanh(v); });
}
Tensor softsign(const Operand& x) {
  return widened("softsign", x, [](Value v) { return v / (ir::abs(v) + 1); });
}
Tensor threshold(const Operand& x, double threshold, double value) {
  Frame frame("threshold", x);
  const Value given = frame.value(x);
  const Value is_low = ir::compare(given, ir::constant_like(given, threshold), Direction::LE);
  return frame.tensor(ir::select(is_low, ir::constant_like(given, value), given));
}

Tensor glu(const Operand& x, std::int64_t axis) {
  Frame frame("glu", x);
  const auto halves = chunk(x, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}

Tensor gelu(const Operand& x, bool approximate) { return widened("gelu", x, approximate ? ir::gelu_tanh : ir::gelu); }

Tensor softmax(const Operand& x, std::int64_t axis) {
  return widened("softmax", x, [&](Value v) { return detail::softmax(v, normalize_axis(axis, v.rank(), "softmax")); });
}

Tensor softmin(const Operand& x, std::int64_t axis) {
  return widened("softmin", x, [&](Value v) { return detail::softmax(-v, normalize_axis(axis, v.rank(), "softmin")); });
}

Tensor log_softmax(const Operand& x, std::int64_t axis) {
  return widened("log_softmax", x,
                 [&](Value v) { return detail::log_softmax(v, normalize_axis(axis, v.rank(), "log_softmax")); });
}

}  // namespace weft
