#include <weft/tensor/reduction.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace detail {

Axes reduced_axes(Value x, const Axes& axes, const char* function) {
  if (!axes.empty()) return normalize_axes(axes, x.rank(), function);
  Axes every;
  for (int i = 0; i < x.rank(); ++i) every.push_back(i);
  return every;
}

Shape kept_shape(Value x, const Axes& axes) {
  Shape shape(x.type().dims());
  for (const std::int64_t axis : axes) shape[axis] = 1;
  return shape;
}

Value keep(Value reduced, Value x, const Axes& axes) { return ir::reshape(reduced, kept_shape(x, axes)); }

Value spread(Value reduced, Value x, const Axes& axes) {
  Axes kept;
  for (int i = 0; i < x.rank(); ++i) {
    if (!std::ranges::binary_search(axes, i)) kept.push_back(i);
  }
  return ir::broadcast_in_dim(reduced, x.type(), kept);
}

std::int64_t reduced_count(Value x, const Axes& axes) {
  std::int64_t count = 1;
  for (const std::int64_t axis : axes) count *= x.size(axis);
  return count;
}

Value root(Value x) {
  const Value zero = ir::constant_like(x, 0), is_zero = ir::compare(x, zero, Direction::EQ);
  return ir::select(is_zero, zero, ir::sqrt(ir::select(is_zero, ir::constant_like(x, 1), x)));
}

Value mean(Value x, const Axes& axes) { return ir::reduce_sum(x, axes) * (1.0 / (reduced_count(x, axes))); }

}  // namespace detail

namespace {

// Reduces `x` with `build` over normalised axes.
template <class Build>
Tensor reduce(Frame& frame, Value x, const Axes& axes, bool keepdim, Build&& build) {
  const Axes reduced = detail::reduced_axes(x, axes, frame.function());
  const Value result = build(x, reduced);
  return frame.tensor(keepdim ? detail::keep(result, x, reduced) : result);
}

void require_elements(Frame& frame, Value x, const Axes& reduced) {
  frame.require(detail::reduced_count(x, reduced) > 0, "nothing to choose from in ", x.type());
}

// Computes sums of squares and quotients in f32 or wider.
template <class Build>
Tensor reduce_wide(Frame& frame, const Operand& x, const Axes& axes, bool keepdim, Build&& build) {
  const Value value = detail::floating(frame, x);
  const Value wide = detail::as(value, detail::compute_dtype(value.dtype()));
  const Axes reduced = detail::reduced_axes(wide, axes, frame.function());
  const Value result = detail::as(build(wide, reduced), value.dtype());
  return frame.tensor(keepdim ? detail::keep(result, wide, reduced) : result);
}

// Converts integers and booleans to 64 bits for sums and products.
Value widened(Value x) { return is_float(x.dtype()) || x.dtype() == DType::u64 ? x : detail::as(x, DType::i64); }

Value variance(Value x, const Axes& axes, int correction) {
  const Value centred = x - detail::spread(detail::mean(x, axes), x, axes);
  const double divisor =
      std::max<std::int64_t>(detail::reduced_count(x, axes) - correction, 0);  // as in PyTorch and NumPy
  return ir::reduce_sum(centred * centred, axes) * (1.0 / divisor);
}

Value log_sum_exp(Value x, const Axes& axes) {
  // Subtracts the maximum before exp, unless it is infinite, because inf - inf would be NaN.
  const Value largest = ir::stop_gradient(ir::reduce_max(x, axes));
  const Value offset = ir::select(ir::is_finite(largest), largest, ir::constant_like(largest, 0));
  return ir::log(ir::reduce_sum(ir::exponential(x - detail::spread(offset, x, axes)), axes)) + offset;
}

}  // namespace

Tensor sum(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("sum", x);
  return reduce(frame, widened(frame.value(x)), axes, keepdim,
                [](Value v, const Axes& a) { return ir::reduce_sum(v, a); });
}

Tensor prod(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("prod", x);
  return reduce(frame, widened(frame.value(x)), axes, keepdim,
                [](Value v, const Axes& a) { return ir::reduce_product(v, a); });
}

Tensor mean(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("mean", x);
  return reduce_wide(frame, x, axes, keepdim, detail::mean);
}

Tensor var(const Operand& x, const Axes& axes, bool keepdim, int correction) {
  Frame frame("var", x);
  return reduce_wide(frame, x, axes, keepdim, [&](Value v, const Axes& a) { return variance(v, a, correction); });
}

Tensor stddev(const Operand& x, const Axes& axes, bool keepdim, int correction) {
  Frame frame("stddev", x);
  return reduce_wide(frame, x, axes, keepdim,
                     [&](Value v, const Axes& a) { return detail::root(variance(v, a, correction)); });
}

Tensor norm(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("norm", x);
  return reduce_wide(frame, x, axes, keepdim,
                     [](Value v, const Axes& a) { return detail::root(ir::reduce_sum(v * v, a)); });
}

Tensor max(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("max", x);
  return reduce(frame, frame.value(x), axes, keepdim, [&](Value v, const Axes& a) {
    require_elements(frame, v, a);
    return ir::reduce_max(v, a);
  });
}

Tensor min(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("min", x);
  return reduce(frame, frame.value(x), axes, keepdim, [&](Value v, const Axes& a) {
    require_elements(frame, v, a);
    return ir::reduce_min(v, a);
  });
}

Tensor any(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("any", x);
  const Value value = detail::as(frame.value(x), DType::boolean);
  return reduce(frame, value, axes, keepdim, [](Value v, const Axes& a) { return ir::reduce_max(v, a); });
}

Tensor all(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("all", x);
  const Value value = detail::as(frame.value(x), DType::boolean);
  return reduce(frame, value, axes, keepdim, [](Value v, const Axes& a) { return ir::reduce_min(v, a); });
}

Tensor logsumexp(const Operand& x, const Axes& axes, bool keepdim) {
  Frame frame("logsumexp", x);
  return reduce_wide(frame, x, axes, keepdim, log_sum_exp);
}

namespace {

// Returns the smallest index at which x equals its extreme value or is NaN.
Tensor arg_extreme(const char* function, const Operand& x, std::int64_t axis, bool keepdim,
                   Value (*extreme)(Value, ir::Ints)) {
  Frame frame(function, x);
  const Value value = frame.value(x);
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  const Axes along = frame.axis(axis, value.rank());
  require_elements(frame, value, along);
  Value found = ir::compare(value, detail::spread(extreme(value, along), value, along), Direction::EQ);
  if (is_float(value.dtype())) found = ir::or_(found, ir::compare(value, value, Direction::NE));
  const Type places = value.type().with(DType::i32);
  const Value place = ir::iota(frame.graph(), places, along[0]);
  const Value beyond = ir::constant(frame.graph(), places, std::numeric_limits<std::int32_t>::max());
  const Value result = ir::reduce_min(ir::select(found, place, beyond), along);
  return frame.tensor(keepdim ? detail::keep(result, value, along) : result);
}

}  // namespace

Tensor argmax(const Operand& x, std::int64_t axis, bool keepdim) {
  return arg_extreme("argmax", x, axis, keepdim, ir::reduce_max);
}
Tensor argmin(const Operand& x, std::int64_t axis, bool keepdim) {
  return arg_extreme("argmin", x, axis, keepdim, ir::reduce_min);
}

Tensor cumsum(const Operand& x, std::int64_t axis) {
  Frame frame("cumsum", x);
  Value value = widened(frame.value(x));
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  const std::size_t along = frame.axis(axis, value.rank());
  const std::int64_t size = value.size(along);
  const Value zero = ir::constant(frame.graph(), Type(value.dtype(), {}), 0);
  // Each window reaches back to the beginning, with at least one element of padding. So the operation is the same for
  // every size, including 0.
  std::vector<std::int64_t> windows(value.rank(), 1), padding(2 * windows.size(), 0);
  windows[along] = size + 1;
  padding[2 * along] = size;
  return frame.tensor(
      ir::reduce_window(value, zero, {windows, {}, {}, {}, padding}, ir::reduction_body(ir::ops::add, value.dtype())));
}

// Each step multiplies by the products of twice as many elements before.
Tensor cumprod(const Operand& x, std::int64_t axis) {
  Frame frame("cumprod", x);
  Value value = widened(frame.value(x));
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  const std::size_t along = frame.axis(axis, value.rank());
  const std::int64_t size = value.size(along);
  const Value one = ir::constant(frame.graph(), Type(value.dtype(), {}), 1);
  const std::vector<std::int64_t> none(value.rank(), 0);
  for (std::int64_t step = 1; step < size; step *= 2) {
    std::vector<std::int64_t> low = none, high = none;
    low[along] = step;
    high[along] = -step;
    value = value * ir::pad(value, one, low, high, none);
  }
  return frame.tensor(value);
}

namespace {

// Makes zeros of both signs the same number, and all NaNs. IEEE's total order, in which NaN comes last, tells them apart.
Value canonical(Value x) {
  const Value zero = ir::constant_like(x, 0), nan = ir::constant_like(x, std::numeric_limits<double>::quiet_NaN());
  return ir::select(ir::compare(x, x, Direction::NE), nan, ir::select(ir::compare(x, zero, Direction::EQ), zero, x));
}

// Sorts x together with the indices of its elements.
std::vector<Value> sorted(Frame& frame, Value x, std::int64_t axis, bool descending) {
  const Direction direction = descending ? Direction::GT : Direction::LT;
  const Type element(x.dtype(), {}), place(DType::i32, {});
  const Type inputs[] = {element, element, place, place};
  const auto comparator = ir::make_graph(inputs, [&](ir::Graph&, std::span<const Value> in) {
    if (!is_float(x.dtype())) return std::vector{ir::compare(in[0], in[1], direction)};
    return std::vector{ir::compare(canonical(in[0]), canonical(in[1]), direction, ir::Comparison::TOTALORDER)};
  });
  const Value operands[] = {x, ir::iota(frame.graph(), x.type().with(DType::i32), axis)};
  return ir::sort(operands, axis, true, comparator);
}

std::vector<Value> sorted(Frame& frame, const Operand& x, std::int64_t axis, bool descending) {
  const Value value = frame.value(x);
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  return sorted(frame, value, frame.axis(axis, value.rank()), descending);
}

}  // namespace

Tensor sort(const Operand& x, std::int64_t axis, bool descending) {
  Frame frame("sort", x);
  return frame.tensor(sorted(frame, x, axis, descending)[0]);
}

Tensor argsort(const Operand& x, std::int64_t axis, bool descending) {
  Frame frame("argsort", x);
  return frame.tensor(sorted(frame, x, axis, descending)[1]);
}

TopK topk(const Operand& x, std::int64_t k) {
  Frame frame("topk", x);
  const std::vector<Value> order = sorted(frame, x, -1, true);
  const Type type = order[0].type();
  const int last = type.rank() - 1;
  frame.require(k >= 0 && k <= type.size(last), "k = ", k, " is out of range for ", type);
  Axes start, limit, stride;
  for (int i = 0; i < type.rank(); ++i) {
    start.push_back(0);
    limit.push_back(i == last ? k : type.size(i));
    stride.push_back(1);
  }
  return {frame.tensor(ir::slice(order[0], start, limit, stride)),
          frame.tensor(ir::slice(order[1], start, limit, stride))};
}

}  // namespace weft
