#include <limits>

#include <weft/tensor/activation.h>
#include <weft/tensor/composites.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/distance.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduced_loss.h>
#include <weft/tensor/reducing.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

// Returns x where the target is not `other`, else 0.
Value unless_target(Value target, double other, Value x) {
  return ir::select(ir::compare(target, ir::constant_like(target, other), Direction::NE), x, ir::constant_like(x, 0));
}

Value sum_of_rows(Value x) { return ir::reduce_sum(x, Axes(x.rank() - 1)); }

}  // namespace

Tensor hinge_embedding_loss(const Operand& x, const Operand& target, double margin, Reduction reduction) {
  Frame frame("hinge_embedding_loss", x);
  const auto [given, t] = detail::same_shapes(frame, x, target);
  const Value of_negative = unless_target(t, 1, detail::positive_part(-given + margin));
  return frame.tensor(detail::reduce_loss(of_negative + unless_target(t, -1, given), reduction));
}

Tensor margin_ranking_loss(const Operand& a, const Operand& b, const Operand& target, double margin,
                           Reduction reduction) {
  Frame frame("margin_ranking_loss", a);
  const auto [x, y] = detail::same_shapes(frame, a, b);
  const auto [difference, t] = detail::same_shapes(frame, frame.tensor(x - y), target);
  return frame.tensor(detail::reduce_loss(detail::positive_part(-t * difference + margin), reduction));
}

Tensor soft_margin_loss(const Operand& x, const Operand& target, Reduction reduction) {
  Frame frame("soft_margin_loss", x);
  const auto [given, t] = detail::same_shapes(frame, x, target);
  return frame.tensor(detail::reduce_loss(detail::soft_plus(-t * given), reduction));
}

Tensor cosine_embedding_loss(const Operand& a, const Operand& b, const Operand& target, double margin,
                             Reduction reduction) {
  Frame frame("cosine_embedding_loss", a);
  const auto [x, y] = detail::same_shapes(frame, a, b);
  frame.require(x.rank() >= 1, "expected rank 1 or more, got ", x.type());
  constexpr double epsilon = 1e-12;  // as in PyTorch
  const Value squares = (sum_of_rows(x * x) + epsilon) * (sum_of_rows(y * y) + epsilon);
  const auto [cosine, t] = detail::same_shapes(frame, frame.tensor(sum_of_rows(x * y) / ir::sqrt(squares)), target);
  const Value zero = ir::constant_like(cosine, 0), one = ir::constant_like(cosine, 1);
  const Value is_similar = ir::compare(t, one, Direction::EQ), is_other = ir::compare(t, -one, Direction::EQ);
  const Value of_other = ir::select(is_other, detail::positive_part(cosine + -margin), zero);
  return frame.tensor(detail::reduce_loss(ir::select(is_similar, one - cosine, of_other), reduction));
}

Tensor triplet_margin_loss(const Operand& anchor, const Operand& positive, const Operand& negative,
                           const TripletMarginOptions& options) {
  Frame frame("triplet_margin_loss", anchor);
  frame.require(options.p > 0, "p must be positive, got ", options.p);
  const auto [a, p] = detail::same_shapes(frame, anchor, positive);
  const auto [first, n] = detail::same_shapes(frame, frame.tensor(a), negative);
  frame.require(first.rank() >= 1 && p.dtype() == n.dtype(), "expected vectors of one dtype, got ", p.type(), " and ",
                n.type());
  const auto distance = [&](Value from, Value to) {
    return frame.value(pairwise_distance(frame.tensor(from), frame.tensor(to), options.p, options.epsilon));
  };
  const Value near = distance(a, p);
  Value far = distance(a, n);
  if (options.swap) far = ir::minimum(far, distance(p, n));
  return frame.tensor(detail::reduce_loss(detail::positive_part(near - far + options.margin), options.reduction));
}

Tensor multi_margin_loss(const Operand& x, const Operand& labels, const MultiMarginOptions& options) {
  Frame frame("multi_margin_loss", x);
  const Value given = detail::floating(frame, x), label = frame.value(labels);
  frame.require(options.p == 1 || options.p == 2, "p must be 1 or 2, got ", options.p);
  frame.require(is_integer(label.dtype()) && detail::is_row_of(given, label), "the labels ", label.type(),
                " do not fit ", given.type());
  const Axes classes = given.rank() - 1;
  const Value chosen = detail::is_label(given, label), zero = ir::constant_like(given, 0);
  const Value own = detail::spread(detail::at_label(given, label), given, classes);
  Value each = detail::positive_part(given - own + options.margin);
  if (options.p == 2) each = each * each;
  if (options.weight.defined()) {
    const Value weight = detail::weight_like(frame, options.weight, given, "weight");
    each = each * detail::spread(detail::at_label(weight, label), given, classes);
  }
  const Value losses =
      sum_of_rows(ir::select(chosen, zero, each)) * (1.0 / static_cast<double>(given.size(given.rank() - 1)));
  const Value is_class = ir::reduce_max(ir::convert(chosen, DType::i32), classes);
  const Value nan = ir::constant_like(losses, std::numeric_limits<double>::quiet_NaN());
  const Value known = ir::compare(is_class, ir::constant_like(is_class, 0), Direction::NE);
  return frame.tensor(detail::reduce_loss(ir::select(known, losses, nan), options.reduction));
}

Tensor multilabel_margin_loss(const Operand& x, const Operand& labels, Reduction reduction) {
  Frame frame("multilabel_margin_loss", x);
  const Value value = detail::floating(frame, x), label = frame.value(labels);
  frame.require(
      is_integer(label.dtype()) && value.rank() >= 1 && std::ranges::equal(label.type().dims(), value.type().dims()),
      "the labels ", label.type(), " do not have the shape of ", value.type());
  const Tensor given = frame.tensor(value), numbers = frame.tensor(label);
  const std::int64_t classes = given.size(-1);
  // Of [..., label, class]: whether the label counts, and is this class.
  const Tensor counts = cumprod((numbers >= 0).to(DType::i32)) != 0;
  const Tensor is_chosen = logical_and(unsqueeze(counts, -1), one_hot(numbers, classes, DType::boolean));
  const Tensor is_any = any(is_chosen, -2, true);
  const Tensor own = sum(where(is_chosen, unsqueeze(given, -2), constant(0, given.dtype())), -1, true);
  const Tensor excess = relu(constant(1, given.dtype()) - own + unsqueeze(given, -2));
  const Tensor counted = logical_and(any(is_chosen, -1, true), !is_any);
  const Tensor excesses = sum(where(counted, excess, constant(0, given.dtype())), {-2, -1});
  const Tensor losses = excesses / constant(static_cast<double>(classes), given.dtype());
  return frame.tensor(detail::reduce_loss(frame.value(losses), reduction));
}

Tensor multilabel_soft_margin_loss(const Operand& x, const Operand& target, const Tensor& weight, Reduction reduction) {
  Frame frame("multilabel_soft_margin_loss", x);
  const auto [given, t] = detail::same_shapes(frame, x, target);
  frame.require(given.rank() >= 1, "expected [..., classes], got ", given.type());
  Value losses = detail::soft_plus(given) - given * t;
  if (weight.defined()) losses = losses * detail::weight_like(frame, weight, given, "weight");
  return frame.tensor(detail::reduce_loss(detail::mean(losses, Axes(given.rank() - 1)), reduction));
}

}  // namespace weft
