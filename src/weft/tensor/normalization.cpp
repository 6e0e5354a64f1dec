#include <cstdlib>
#include <vector>

#include <weft/ir/composites.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reducing.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// Returns the last dimensions of x, as many as the weight has. Throws Error if their sizes differ from the weight's.
Axes normalized_axes(Frame& frame, Value x, Value weight) {
  const int first = x.rank() - weight.rank();
  frame.require(
      weight.rank() > 0 && first >= 0 && std::ranges::equal(weight.type().dims(), x.type().dims().last(weight.rank())),
      "the weight ", weight.type(), " does not fit ", x.type());
  Axes axes;
  for (int i = first; i < x.rank(); ++i) axes.push_back(i);
  return axes;
}

// What layer_norm and rms_norm have in common: the dtype of the computation, and the weight in this dtype.
struct Normalization {
  Normalization(Frame& frame, const Operand& x, const Operand& weight)
      : given(detail::floating(frame, x)),
        wide(detail::as(given, detail::compute_dtype(given.dtype()))),
        scale(detail::as(frame.value(weight), wide.dtype())),
        axes(normalized_axes(frame, wide, scale)) {}

  // x / sqrt(mean(x^2) + epsilon) * weight
  Value by_root_mean_square(Value x, double epsilon) const {
    const Value inverse = ir::rsqrt(detail::mean(x * x, axes) + epsilon);
    return x * detail::spread(inverse, x, axes) * detail::broadcast(scale, x.type().dims());
  }
  Value centred() const { return wide - detail::spread(detail::mean(wide, axes), wide, axes); }
  Tensor finish(Frame& frame, Value result) const { return frame.tensor(detail::as(result, given.dtype())); }

  Value given, wide, scale;
  Axes axes;
};

}  // namespace

Tensor layer_norm(const Operand& x, const Operand& weight, const Operand& bias, double epsilon) {
  Frame frame("layer_norm", x);
  const Normalization norm(frame, x, weight);
  const Value offset = detail::as(frame.value(bias), norm.wide.dtype());
  frame.require(offset.type() == norm.scale.type(), "the bias ", offset.type(), " does not fit the weight ",
                norm.scale.type());
  if (offset.rank() == 1) return norm.finish(frame, ir::layer_norm(norm.wide, norm.scale, offset, epsilon)[0]);
  const Value scaled = norm.by_root_mean_square(norm.centred(), epsilon);
  return norm.finish(frame, scaled + detail::broadcast(offset, scaled.type().dims()));
}

Tensor layer_norm(const Operand& x, const Operand& weight, double epsilon) {
  Frame frame("layer_norm", x);
  const Normalization norm(frame, x, weight);
  return norm.finish(frame, norm.by_root_mean_square(norm.centred(), epsilon));
}

Tensor rms_norm(const Operand& x, const Operand& weight, double epsilon) {
  Frame frame("rms_norm", x);
  const Normalization norm(frame, x, weight);
  if (norm.scale.rank() == 1) return norm.finish(frame, ir::rms_norm(norm.wide, norm.scale, epsilon)[0]);
  return norm.finish(frame, norm.by_root_mean_square(norm.wide, epsilon));
}

namespace {

// Normalises each channel of [batch, channels, ...] with vectors [channels].
Tensor scale_channels(Frame& frame, Value x, Value mean, Value variance, const Tensor& weight, const Tensor& bias,
                      double epsilon, DType dtype) {
  const std::int64_t channels[] = {1};
  const auto spread = [&](Value v) { return ir::broadcast_in_dim(v, x.type(), channels); };
  const auto vector = [&](const Tensor& given, const char* name) {
    const Value v = detail::as(frame.value(given), x.dtype());
    frame.require(v.type() == mean.type(), "the ", name, " ", v.type(), " does not fit ", x.type());
    return v;
  };
  Value factor = ir::rsqrt(variance + epsilon);
  if (weight.defined()) factor = factor * vector(weight, "weight");
  Value y = (x - spread(mean)) * spread(factor);
  if (bias.defined()) y = y + spread(vector(bias, "bias"));
  return frame.tensor(detail::as(y, dtype));
}

Axes all_but_channels(Frame& frame, Value x) {
  frame.require(x.rank() >= 2, "expected [batch, channels, ...], got ", x.type());
  Axes axes = 0;
  for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
  return axes;
}

}  // namespace

ChannelStatistics channel_statistics(const Operand& x) {
  Frame frame("channel_statistics", x);
  const Value given = detail::floating(frame, x), wide = detail::as(given, detail::compute_dtype(given.dtype()));
  const Axes axes = all_but_channels(frame, wide);
  const Value mean = detail::mean(wide, axes), centred = wide - detail::spread(mean, wide, axes);
  return {frame.tensor(mean), frame.tensor(detail::mean(centred * centred, axes))};
}

Tensor batch_norm(const Operand& x, const ChannelStatistics& statistics, const Tensor& weight, const Tensor& bias,
                  double epsilon) {
  Frame frame("batch_norm", x);
  const Value given = detail::floating(frame, x), wide = detail::as(given, detail::compute_dtype(given.dtype()));
  all_but_channels(frame, wide);
  const Value mean = detail::as(frame.value(statistics.mean), wide.dtype());
  const Value variance = detail::as(frame.value(statistics.variance), wide.dtype());
  frame.require(mean.rank() == 1 && mean.type().dim(0) == wide.type().dim(1) && variance.type() == mean.type(),
                "the mean ", mean.type(), " and variance ", variance.type(), " do not fit ", wide.type());
  return scale_channels(frame, wide, mean, variance, weight, bias, epsilon, given.dtype());
}

namespace {

Tensor normalize_groups(Frame& frame, Value given, std::int64_t groups, const Tensor& weight, const Tensor& bias,
                        double epsilon) {
  const Value wide = detail::as(given, detail::compute_dtype(given.dtype()));
  frame.require(groups > 0 && wide.size(1) % groups == 0, groups, " groups do not divide the channels of ",
                wide.type());
  const Dim rest = Dim(groups == 0 ? 0 : wide.type().elements() / std::max<std::int64_t>(1, wide.size(0) * groups));
  const Value grouped = ir::reshape(wide, {wide.type().dim(0), Dim(groups), rest});
  const Axes within = 2;
  const Value centred = grouped - detail::spread(detail::mean(grouped, within), grouped, within);
  const Value factor = ir::rsqrt(detail::mean(centred * centred, within) + epsilon);
  const Value y = ir::reshape(centred * detail::spread(factor, centred, within), wide.type().dims());
  const Value zeros = ir::constant(frame.graph(), Type(wide.dtype(), {wide.type().dim(1)}), 0);
  return scale_channels(frame, y, zeros, zeros + 1, weight, bias, 0, given.dtype());
}

}  // namespace

Tensor group_norm(const Operand& x, std::int64_t groups, const Tensor& weight, const Tensor& bias, double epsilon) {
  Frame frame("group_norm", x);
  const Value given = detail::floating(frame, x);
  all_but_channels(frame, given);
  return normalize_groups(frame, given, groups, weight, bias, epsilon);
}

Tensor instance_norm(const Operand& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  Frame frame("instance_norm", x);
  const Value given = detail::floating(frame, x);
  const bool has_instances = given.rank() >= 3 && given.size(1) > 0;
  frame.require(has_instances, "expected [batch, channels, spatial...], got ", given.type());
  return normalize_groups(frame, given, given.size(1), weight, bias, epsilon);
}

Tensor local_response_norm(const Operand& x, std::int64_t size, const LocalResponseNormOptions& options) {
  Frame frame("local_response_norm", x);
  const Value given = detail::floating(frame, x), wide = detail::as(given, detail::compute_dtype(given.dtype()));
  all_but_channels(frame, wide);
  frame.require(size >= 1, "the size must be positive, got ", size);
  const std::int64_t channels = wide.size(1);
  std::vector<std::int64_t> low(wide.rank()), high(wide.rank());
  const Value squares = wide * wide, zero = ir::constant(frame.graph(), Type(wide.dtype(), {}), 0);
  Value total = ir::constant_like(wide, 0);
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t offset = i - size / 2;  // of the neighbour
    if (std::abs(offset) >= channels) continue;
    low[1] = -offset;
    high[1] = offset;
    total = total + ir::pad(squares, zero, low, high, std::vector<std::int64_t>(wide.rank()));
  }
  const Value divisor = total * (options.alpha / static_cast<double>(size)) + options.k;
  return frame.tensor(detail::as(wide * ir::power(divisor, ir::constant_like(divisor, -options.beta)), given.dtype()));
}

Tensor normalize(const Operand& x, std::int64_t axis, double epsilon) {
  Frame frame("normalize", x);
  const Value given = detail::floating(frame, x), wide = detail::as(given, detail::compute_dtype(given.dtype()));
  const Axes along = frame.axis(axis, wide.rank());
  const Value squares = ir::reduce_sum(wide * wide, along);
  // Takes the root of the larger value, so that the gradient is finite at 0.
  const Value length = ir::sqrt(ir::maximum(squares, ir::constant_like(squares, epsilon * epsilon)));
  return frame.tensor(detail::as(wide / detail::spread(length, wide, along), given.dtype()));
}

Tensor cosine_similarity(const Operand& a, const Operand& b, std::int64_t axis, double epsilon) {
  Frame frame("cosine_similarity", a);
  const auto [x, y] = detail::matched(frame, a, b, DType::f32);
  return sum(normalize(frame.tensor(x), axis, epsilon) * normalize(frame.tensor(y), axis, epsilon), axis);
}

}  // namespace weft
