#include <concepts>
#include <limits>
#include <utility>

#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/composites.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

Value reduce_loss(Value losses, Reduction reduction) {
  const Axes every = detail::reduced_axes(losses, {}, "loss");
  switch (reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return ir::reduce_sum(losses, every);
    case Reduction::mean: return detail::mean(losses, every);
  }
  return losses;
}

// Selects the element of each row of x at the label; 0 for a label that is not a class.
Value at_label(Value x, Value labels) {
  const std::int64_t classes = x.rank() - 1;
  Axes leading;
  for (std::int64_t i = 0; i < classes; ++i) leading.push_back(i);
  const Type places(labels.dtype(), x.type().dims());
  const Value chosen =
      ir::compare(ir::broadcast_in_dim(labels, places, leading), ir::iota(x.graph(), places, classes), Direction::EQ);
  return ir::reduce_sum(ir::select(chosen, x, ir::constant_like(x, 0)), Axes(classes));
}

Value negative_log_likelihood(Value log_probabilities, Value labels, double smoothing) {
  const Value likelihood = at_label(log_probabilities, labels);
  if (smoothing == 0) return -likelihood;
  const Value even = detail::mean(log_probabilities, Axes(log_probabilities.rank() - 1));
  return -(likelihood * (1 - smoothing) + even * smoothing);
}

// Whether an integer dtype can represent the number.
bool can_hold(DType dtype, std::int64_t number) {
  return visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      return std::in_range<T>(number);
    } else {
      return false;
    }
  });
}

// Reduces the losses without those of ignored labels. A label that is neither ignored nor a class gives NaN, because a
// compiled program cannot throw.
Value reduce_labelled(Value losses, Value labels, std::int64_t classes, std::int64_t ignore_index,
                      Reduction reduction) {
  const auto compare = [&](Direction direction, std::int64_t number) {
    return ir::compare(labels, ir::constant_like(labels, number), direction);
  };
  const bool may_be_beyond = can_hold(labels.dtype(), classes), may_be_negative = !is_unsigned_integer(labels.dtype());
  Value is_wrong;
  if (may_be_beyond) is_wrong = compare(Direction::GE, classes);
  if (may_be_negative) {
    const Value is_negative = compare(Direction::LT, 0);
    is_wrong = is_wrong ? ir::or_(is_wrong, is_negative) : is_negative;
  }
  const Value nan = ir::constant_like(losses, std::numeric_limits<double>::quiet_NaN());
  if (!can_hold(labels.dtype(), ignore_index))
    return reduce_loss(is_wrong ? ir::select(is_wrong, nan, losses) : losses, reduction);

  const Value counts = compare(Direction::NE, ignore_index);
  Value kept = ir::select(counts, losses, ir::constant_like(losses, 0));
  if (is_wrong) kept = ir::select(ir::and_(counts, is_wrong), nan, kept);
  if (reduction != Reduction::mean) return reduce_loss(kept, reduction);
  const Value counted = reduce_loss(ir::convert(counts, losses.dtype()), Reduction::sum);
  return reduce_loss(kept, Reduction::sum) / counted;
}

// Returns the two operands of a loss, converted to one floating-point dtype and shape.
detail::Pair same_shapes(Frame& frame, const Operand& x, const Operand& target) {
  const auto [a, b] = detail::promoted(frame, x, target);
  frame.require(is_float(a.dtype()), "expected floating point, got ", a.type());
  frame.require(target.is_number() || a.type() == b.type(), "the target ", b.type(), " does not have the shape of ",
                a.type());
  return detail::broadcast_together(frame, {a, b});
}

Tensor soft_cross_entropy(Frame& frame, Value logits, Value probabilities, const CrossEntropyOptions& options) {
  frame.require(std::ranges::equal(logits.type().dims(), probabilities.type().dims()), "the probabilities ",
                probabilities.type(), " do not have the shape of the logits ", logits.type());
  const Value wide = detail::as(logits, detail::compute_dtype(logits.dtype()));
  const Axes classes = wide.rank() - 1;
  Value p = detail::as(probabilities, wide.dtype());
  if (options.label_smoothing != 0)
    p = p * (1 - options.label_smoothing) + options.label_smoothing / wide.size(wide.rank() - 1);
  const Value losses = -ir::reduce_sum(p * detail::log_softmax(wide, wide.rank() - 1), classes);
  return frame.tensor(reduce_loss(losses, options.reduction));
}

}  // namespace

Tensor cross_entropy(const Operand& logits, const Operand& labels, const CrossEntropyOptions& options) {
  Frame frame("cross_entropy", logits);
  const Value given = detail::floating(frame, logits), label = frame.value(labels);
  frame.require(options.label_smoothing >= 0 && options.label_smoothing <= 1,
                "label smoothing must lie in [0, 1], got ", options.label_smoothing);
  if (given.rank() >= 1 && given.rank() == label.rank() && is_float(label.dtype()))
    return soft_cross_entropy(frame, given, label, options);
  frame.require(given.rank() >= 1 && is_integer(label.dtype()) &&
                    std::ranges::equal(label.type().dims(), given.type().dims().first(given.rank() - 1)),
                "the labels ", label.type(), " do not fit the logits ", given.type(),
                ": expected integers of the logits' shape without the classes, or probabilities of the logits' shape");
  const Value wide = detail::as(given, detail::compute_dtype(given.dtype()));
  const Value losses =
      negative_log_likelihood(detail::log_softmax(wide, wide.rank() - 1), label, options.label_smoothing);
  return frame.tensor(
      reduce_labelled(losses, label, wide.size(wide.rank() - 1), options.ignore_index, options.reduction));
}

Tensor nll_loss(const Operand& log_probabilities, const Operand& labels, Reduction reduction,
                std::int64_t ignore_index) {
  Frame frame("nll_loss", log_probabilities);
  const Value given = detail::floating(frame, log_probabilities), label = frame.value(labels);
  frame.require(given.rank() >= 1 && is_integer(label.dtype()) &&
                    std::ranges::equal(label.type().dims(), given.type().dims().first(given.rank() - 1)),
                "the labels ", label.type(), " do not fit the log probabilities ", given.type());
  const Value losses = negative_log_likelihood(given, label, 0);
  return frame.tensor(reduce_labelled(losses, label, given.size(given.rank() - 1), ignore_index, reduction));
}

Tensor mse_loss(const Operand& x, const Operand& target, Reduction reduction) {
  Frame frame("mse_loss", x);
  const auto [a, b] = same_shapes(frame, x, target);
  const Value difference = a - b;
  return frame.tensor(reduce_loss(difference * difference, reduction));
}

Tensor l1_loss(const Operand& x, const Operand& target, Reduction reduction) {
  Frame frame("l1_loss", x);
  const auto [a, b] = same_shapes(frame, x, target);
  return frame.tensor(reduce_loss(ir::abs(a - b), reduction));
}

Tensor huber_loss(const Operand& x, const Operand& target, double delta, Reduction reduction) {
  Frame frame("huber_loss", x);
  frame.require(delta > 0, "delta must be positive, got ", delta);
  const auto [a, b] = same_shapes(frame, x, target);
  const Value distance = ir::abs(a - b);
  const Value is_near = ir::compare(distance, ir::constant_like(distance, delta), Direction::LE);
  const Value small = ir::select(is_near, distance, ir::constant_like(distance, 0));  // finite where it is not selected
  const Value near = small * small * 0.5, far = (distance + -0.5 * delta) * delta;
  return frame.tensor(reduce_loss(ir::select(is_near, near, far), reduction));
}

Tensor kl_div(const Operand& x, const Operand& target, Reduction reduction) {
  Frame frame("kl_div", x);
  const auto [log_q, p] = same_shapes(frame, x, target);
  const Value zero = ir::constant_like(p, 0), one = ir::constant_like(p, 1);
  const Value is_zero = ir::compare(p, zero, Direction::EQ);
  const Value losses = p * (ir::log(ir::select(is_zero, one, p)) - log_q);
  return frame.tensor(reduce_loss(ir::select(is_zero, zero, losses), reduction));
}

Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target, Reduction reduction) {
  Frame frame("binary_cross_entropy_with_logits", logits);
  const auto [x, t] = same_shapes(frame, logits, target);
  return frame.tensor(reduce_loss(detail::soft_plus(x) - x * t, reduction));
}

}  // namespace weft
