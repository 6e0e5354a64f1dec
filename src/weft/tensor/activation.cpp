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

Tensor leaky_relu(const Operand& x, const Operand& slope) {
  Frame frame("leaky_relu", x);
  const auto [value, factor] = with_factor(frame, x, slope);
  const Value is_positive = positive(value);
  const Value rest = ir::select(is_positive, ir::constant_like(value, 0), value);  // finite where it is not selected
  return frame.tensor(ir::select(is_positive, value, rest * factor));
}

Tensor elu(const Operand& x, const Operand& alpha) {
  Frame frame("elu", x);
  const auto [value, factor] = with_factor(frame, x, alpha);
  // Large values must not overflow in the branch that is not selected, because its gradient would be 0 * inf.
  const Value is_positive = positive(value);
  const Value rest = ir::select(is_positive, ir::constant_like(value, 0), value);
  return frame.tensor(ir::select(is_positive, value, factor * ir::exponential_minus_one(rest)));
}

Tensor sigmoid(const Operand& x) { return widened("sigmoid", x, ir::logistic); }
Tensor silu(const Operand& x) { return widened("silu", x, ir::silu); }
Tensor softplus(const Operand& x) { return widened("softplus", x, detail::soft_plus); }
Tensor log_sigmoid(const Operand& x) {
  return widened("log_sigmoid", x, [](Value v) { return -detail::soft_plus(-v); });
}
Tensor mish(const Operand& x) {
  return widened("mish", x, [](Value v) { return v * ir::tanh(detail::soft_plus(v)); });
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

Tensor glu(const Operand& x, std::int64_t axis) {
  Frame frame("glu", x);
  const auto halves = chunk(x, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}

Tensor gelu(const Operand& x, bool approximate) { return widened("gelu", x, approximate ? ir::gelu_tanh : ir::gelu); }

Tensor softmax(const Operand& x, std::int64_t axis) {
  return widened("softmax", x, [&](Value v) { return detail::softmax(v, normalize_axis(axis, v.rank(), "softmax")); });
}

Tensor log_softmax(const Operand& x, std::int64_t axis) {
  return widened("log_softmax", x,
                 [&](Value v) { return detail::log_softmax(v, normalize_axis(axis, v.rank(), "log_softmax")); });
}

}  // namespace weft
