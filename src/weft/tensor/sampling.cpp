#include <cmath>
#include <limits>

#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;

namespace random {

Tensor exponential(const AnyKey& key, const Shape& shape, DType dtype, Where where) {
  return -log1p(-uniform(key, shape, dtype, where));
}

Tensor gumbel(const AnyKey& key, const Shape& shape, DType dtype, Where where) {
  const double least = dtype == DType::f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const DType wide = detail::compute_dtype(dtype);
  return -log(maximum(exponential(key, shape, wide, where), constant(least, wide))).to(dtype);
}

Tensor multinomial(const AnyKey& key, const Operand& weights, std::int64_t count, bool replacement) {
  Frame frame("random::multinomial", weights);
  const Tensor weight = frame.tensor(detail::floating(frame, weights));
  frame.require(weight.rank() >= 1 && weight.size(-1) > 0, "expected weights [..., n], got ", weight.type());
  frame.require(count >= 0 && (replacement || count <= weight.size(-1)), "cannot draw ", count, " different ones of ",
                weight.size(-1), " without replacement");
  const Tensor logits = log(weight.to(detail::compute_dtype(weight.dtype())));
  if (!replacement) {
    // The largest sums of logits and Gumbel noise are a draw without replacement.
    const Tensor noisy = logits + gumbel(key, logits.shape(), logits.dtype());
    return topk(noisy, count).indices;
  }
  Shape shape = logits.shape();
  shape[shape.rank() - 1] = Dim(count);
  shape.push_back(logits.shape()[logits.rank() - 1]);
  return categorical(key, broadcast_to(unsqueeze(logits, -2), shape));
}

}  // namespace random

Tensor randperm(std::int64_t size, std::source_location where) {
  return random::permutation(random::default_generator().next(), size, where);
}

Tensor multinomial(const Operand& weights, std::int64_t count, bool replacement) {
  return random::multinomial(random::default_generator().next(), weights, count, replacement);
}

Tensor gumbel_softmax(const random::AnyKey& key, const Operand& logits, double tau, bool hard, std::int64_t axis) {
  Frame frame("gumbel_softmax", logits);
  const Tensor given = frame.tensor(detail::floating(frame, logits));
  frame.require(tau > 0, "tau must be positive, got ", tau);
  const std::int64_t along = frame.axis(axis, given.rank());
  const Tensor noise = random::gumbel(key, given.shape(), given.dtype());
  const Tensor soft = softmax((given + noise) / constant(tau, given.dtype()), along);
  if (!hard) return soft;
  const Tensor is_chosen = iota(soft.shape(), along) == argmax(soft, along, true);
  return is_chosen.to(soft.dtype()) + (soft - stop_gradient(soft));
}

Tensor gumbel_softmax(const Operand& logits, double tau, bool hard, std::int64_t axis) {
  return gumbel_softmax(random::default_generator().next(), logits, tau, hard, axis);
}

Tensor channel_dropout(const random::AnyKey& key, const Operand& x, const Operand& probability) {
  Frame frame("channel_dropout", x);
  const Tensor value = frame.tensor(detail::floating(frame, x));
  frame.require(value.rank() >= 2, "expected [batch, channels, ...], got ", value.type());
  Shape shape = value.shape();
  for (int d = 2; d < shape.rank(); ++d) shape[d] = Dim(1);
  return value * dropout(key, ones(shape, value.dtype()), probability);
}

Tensor channel_dropout(const Operand& x, const Operand& probability) {
  return channel_dropout(random::default_generator().next(), x, probability);
}

Tensor alpha_dropout(const random::AnyKey& key, const Operand& x, double probability) {
  Frame frame("alpha_dropout", x);
  const Tensor value = frame.tensor(detail::floating(frame, x));
  frame.require(probability >= 0 && probability < 1, "the probability must lie in [0, 1), got ", probability);
  constexpr double limit = -1.7580993408473766;  // of selu
  const double keep = 1 - probability, scale = 1 / std::sqrt(keep * (1 + probability * limit * limit));
  const auto number = [&](double n) { return constant(n, value.dtype()); };
  const Tensor is_dropped = random::bernoulli(key, value.shape(), probability);
  return where(is_dropped, number(limit), value) * number(scale) + number(-scale * probability * limit);
}

Tensor alpha_dropout(const Operand& x, double probability) {
  return alpha_dropout(random::default_generator().next(), x, probability);
}

}  // namespace weft
