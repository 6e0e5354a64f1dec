#include <weft/tensor/loss.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>
#include <utility>

#include <weft/tensor/composites.h>
#include <weft/tensor/reduced_loss.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace detail {

Value reduce_loss(Value losses, Reduction reduction) {
  const Axes every = reduced_axes(losses, {}, "loss");
  switch (reduction) {
    case Reduction::none: return losses;
    case Reduction::sum: return ir::reduce_sum(losses, every);
    case Reduction::mean: return mean(losses, every);
  }
  return losses;
}

Pair same_shapes(Frame& frame, const Operand& x, const Operand& target) {
  const auto [a, b] = promoted(frame, x, target);
  frame.require(is_float(a.dtype()), "expected floating point, got ", a.type());
  frame.require(target.is_number() || a.type() == b.type(), "the target ", b.type(), " does not have the shape of ",
                a.type());
  return broadcast_together(frame, {a, b});
}

Value weight_like(Frame& frame, const Tensor& weight, Value x, const char* name) {
  const Value given = as(frame.value(weight), x.dtype());
  Shape shape;
  frame.require(broadcast_shapes(given.type().dims(), x.type().dims(), shape) && shape == Shape(x.type().dims()),
                "the ", name, " ", given.type(), " does not broadcast to ", x.type());
  return broadcast(given, shape);
}

bool is_row_of(Value rows, Value numbers) {
  return rows.rank() >= 1 &&
         std::ranges::equal(numbers.type().dims(), rows.type().dims().first(static_cast<std::size_t>(rows.rank() - 1)));
}

Value is_label(Value x, Value labels) {
  const std::int64_t classes = x.rank() - 1;
  Axes leading;
  for (std::int64_t i = 0; i < classes; ++i) leading.push_back(i);
  const Type places(labels.dtype(), x.type().dims());
  return ir::compare(ir::broadcast_in_dim(labels, places, leading), ir::iota(x.graph(), places, classes),
                     Direction::EQ);
}

Value at_label(Value x, Value labels) {
  return ir::reduce_sum(ir::select(is_label(x, labels), x, ir::constant_like(x, 0)), Axes(x.rank() - 1));
}

Value positive_part(Value x) {
  const Value zero = ir::constant_like(x, 0);
  return ir::select(ir::compare(x, zero, Direction::LE), zero, x);
}

}  // namespace detail

using detail::at_label;
using detail::reduce_loss;
using detail::same_shapes;

namespace {

// The weight [classes] may be no value. Labels that are ignored count here, too.
Value negative_log_likelihood(Value log_probabilities, Value labels, double smoothing, Value weight = {}) {
  const Value weighted =
      weight ? log_probabilities * detail::broadcast(weight, log_probabilities.type().dims()) : log_probabilities;
  const Value likelihood = at_label(weighted, labels);
  if (smoothing == 0) return -likelihood;
  const Value even = detail::mean(weighted, Axes(weighted.rank() - 1));
  return -(likelihood * (1 - smoothing) + even * smoothing);
}

// Returns the weight of each label, 0 for one that is not a class; no value without weights.
Value weights_of(Value log_probabilities, Value labels, Value weight) {
  return weight ? at_label(detail::broadcast(weight, log_probabilities.type().dims()), labels) : Value();
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

// Reduces the losses without those of ignored labels. A mean is divided by the sum of the labels' weights, or by their number if
// `weights` is no value. A label that is neither ignored nor a class gives NaN, because a
// compiled program cannot throw.
Value reduce_labelled(Value losses, Value labels, Value weights, std::int64_t classes, std::int64_t ignore_index,
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
  if (!can_hold(labels.dtype(), ignore_index)) {
    const Value kept = is_wrong ? ir::select(is_wrong, nan, losses) : losses;
    if (reduction != Reduction::mean || !weights) return reduce_loss(kept, reduction);
    return reduce_loss(kept, Reduction::sum) / reduce_loss(weights, Reduction::sum);
  }

  const Value counts = compare(Direction::NE, ignore_index);
  Value kept = ir::select(counts, losses, ir::constant_like(losses, 0));
  if (is_wrong) kept = ir::select(ir::and_(counts, is_wrong), nan, kept);
  if (reduction != Reduction::mean) return reduce_loss(kept, reduction);
  const Value each =
      weights ? ir::select(counts, weights, ir::constant_like(weights, 0)) : ir::convert(counts, losses.dtype());
  const Value counted = reduce_loss(each, Reduction::sum);
  return reduce_loss(kept, Reduction::sum) / counted;
}

// Returns the weights of classes as a vector of the dtype of x, [..., classes]; no value if they are undefined.
Value class_weights(Frame& frame, const Tensor& weight, Value x) {
  if (!weight.defined()) return {};
  const Value given = detail::as(frame.value(weight), x.dtype());
  frame.require(given.rank() == 1 && given.type().dim(0) == x.type().dim(x.rank() - 1), "the weight ", given.type(),
                " is not one number for each class of ", x.type());
  return given;
}

Tensor soft_cross_entropy(Frame& frame, Value logits, Value probabilities, const CrossEntropyOptions& options) {
  frame.require(std::ranges::equal(logits.type().dims(), probabilities.type().dims()), "the probabilities ",
                probabilities.type(), " do not have the shape of the logits ", logits.type());
  const Value wide = detail::as(logits, detail::compute_dtype(logits.dtype()));
  const Axes classes = wide.rank() - 1;
  Value p = detail::as(probabilities, wide.dtype());
  if (options.label_smoothing != 0)
    p = p * (1 - options.label_smoothing) + options.label_smoothing / wide.size(wide.rank() - 1);
  if (const Value weight = class_weights(frame, options.weight, wide))
    p = p * detail::broadcast(weight, p.type().dims());
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
  const Value log_p = detail::log_softmax(wide, wide.rank() - 1), weight = class_weights(frame, options.weight, wide);
  const Value losses = negative_log_likelihood(log_p, label, options.label_smoothing, weight);
  return frame.tensor(reduce_labelled(losses, label, weights_of(log_p, label, weight), wide.size(wide.rank() - 1),
                                      options.ignore_index, options.reduction));
}

Tensor nll_loss(const Operand& log_probabilities, const Operand& labels, Reduction reduction, std::int64_t ignore_index,
                const Tensor& weight) {
  Frame frame("nll_loss", log_probabilities);
  const Value given = detail::floating(frame, log_probabilities), label = frame.value(labels);
  frame.require(given.rank() >= 1 && is_integer(label.dtype()) &&
                    std::ranges::equal(label.type().dims(), given.type().dims().first(given.rank() - 1)),
                "the labels ", label.type(), " do not fit the log probabilities ", given.type());
  const Value of_classes = class_weights(frame, weight, given);
  const Value losses = negative_log_likelihood(given, label, 0, of_classes);
  return frame.tensor(reduce_labelled(losses, label, weights_of(given, label, of_classes), given.size(given.rank() - 1),
                                      ignore_index, reduction));
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

namespace {

Value huber(Value distance, double delta) {
  const Value is_near = ir::compare(distance, ir::constant_like(distance, delta), Direction::LE);
  const Value small = ir::select(is_near, distance, ir::constant_like(distance, 0));  // finite where it is not selected
  const Value near = small * small * 0.5, far = (distance + -0.5 * delta) * delta;
  return ir::select(is_near, near, far);
}

// log(x) of a probability, at least -100.
Value log_of_probability(Value x, Value logarithm(Value)) {
  const Value least = ir::constant_like(x, -100), is_low = ir::compare(logarithm(x), least, Direction::LT);
  return ir::select(is_low, least, logarithm(ir::select(is_low, ir::constant_like(x, 0.5), x)));
}

}  // namespace

Tensor huber_loss(const Operand& x, const Operand& target, double delta, Reduction reduction) {
  Frame frame("huber_loss", x);
  frame.require(delta > 0, "delta must be positive, got ", delta);
  const auto [a, b] = same_shapes(frame, x, target);
  return frame.tensor(reduce_loss(huber(ir::abs(a - b), delta), reduction));
}

Tensor smooth_l1_loss(const Operand& x, const Operand& target, double beta, Reduction reduction) {
  Frame frame("smooth_l1_loss", x);
  frame.require(beta >= 0, "beta cannot be negative, got ", beta);
  const auto [a, b] = same_shapes(frame, x, target);
  const Value distance = ir::abs(a - b);
  return frame.tensor(reduce_loss(beta == 0 ? distance : huber(distance, beta) * (1 / beta), reduction));
}

Tensor kl_div(const Operand& x, const Operand& target, Reduction reduction, bool log_target) {
  Frame frame("kl_div", x);
  const auto [log_q, p] = same_shapes(frame, x, target);
  if (log_target) return frame.tensor(reduce_loss(ir::exponential(p) * (p - log_q), reduction));
  const Value zero = ir::constant_like(p, 0), one = ir::constant_like(p, 1);
  const Value is_zero = ir::compare(p, zero, Direction::EQ);
  const Value losses = p * (ir::log(ir::select(is_zero, one, p)) - log_q);
  return frame.tensor(reduce_loss(ir::select(is_zero, zero, losses), reduction));
}

Tensor binary_cross_entropy(const Operand& probabilities, const Operand& target, Reduction reduction) {
  Frame frame("binary_cross_entropy", probabilities);
  const auto [p, t] = same_shapes(frame, probabilities, target);
  const Value of_true = log_of_probability(p, ir::log), of_false = log_of_probability(-p, ir::log_plus_one);
  return frame.tensor(reduce_loss((t + -1.0) * of_false - t * of_true, reduction));
}

Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target, Reduction reduction) {
  Frame frame("binary_cross_entropy_with_logits", logits);
  const auto [x, t] = same_shapes(frame, logits, target);
  return frame.tensor(reduce_loss(detail::soft_plus(x) - x * t, reduction));
}

Tensor binary_cross_entropy_with_logits(const Operand& logits, const Operand& target,
                                        const BinaryCrossEntropyOptions& options) {
  Frame frame("binary_cross_entropy_with_logits", logits);
  const auto [x, t] = same_shapes(frame, logits, target);
  Value losses;
  if (options.pos_weight.defined()) {
    const Value weight = detail::weight_like(frame, options.pos_weight, x, "pos_weight"), one = ir::constant_like(x, 1);
    losses = (one - t) * x + ((weight - one) * t + one) * detail::soft_plus(-x);
  } else {
    losses = detail::soft_plus(x) - x * t;
  }
  if (options.weight.defined()) losses = losses * detail::weight_like(frame, options.weight, x, "weight");
  return frame.tensor(reduce_loss(losses, options.reduction));
}

Tensor poisson_nll_loss(const Operand& x, const Operand& target, const PoissonNllOptions& options) {
  Frame frame("poisson_nll_loss", x);
  const auto [given, t] = same_shapes(frame, x, target);
  Value losses = options.log_input ? ir::exponential(given) - t * given : given - t * ir::log(given + options.epsilon);
  if (options.full) {
    const Value one = ir::constant_like(t, 1), is_large = ir::compare(t, one, Direction::GT);
    const Value n = ir::select(is_large, t, one);  // finite where it is not selected
    const Value stirling = n * ir::log(n) - n + ir::log(n * (2 * std::numbers::pi)) * 0.5;
    losses = losses + ir::select(is_large, stirling, ir::constant_like(t, 0));
  }
  return frame.tensor(reduce_loss(losses, options.reduction));
}

Tensor gaussian_nll_loss(const Operand& x, const Operand& target, const Operand& variance,
                         const GaussianNllOptions& options) {
  Frame frame("gaussian_nll_loss", x);
  const auto [given, t] = same_shapes(frame, x, target);
  Value width = detail::value_as(frame, variance, given.dtype());
  if (given.rank() > 0 && width.rank() == given.rank() - 1 && detail::is_row_of(given, width)) {
    Shape column(given.type().dims());
    column[given.rank() - 1] = 1;
    width = ir::reshape(width, column);
  }
  Shape shape;
  frame.require(
      broadcast_shapes(width.type().dims(), given.type().dims(), shape) && shape == Shape(given.type().dims()),
      "the variance ", width.type(), " does not fit ", given.type());
  width = detail::broadcast(width, shape);
  // The least variance counts as a constant that is added, so that the gradient by the variance is the one at the bound.
  const Value raised = ir::maximum(width, ir::constant_like(width, options.epsilon));
  width = width + ir::stop_gradient(raised - width);
  const Value distance = given - t;
  Value losses = (ir::log(width) + distance * distance / width) * 0.5;
  if (options.full) losses = losses + 0.5 * std::log(2 * std::numbers::pi);
  return frame.tensor(reduce_loss(losses, options.reduction));
}

}  // namespace weft
