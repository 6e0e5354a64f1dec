#include <weft/ir/composites.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// The last dimensions of x, as many as the weight has, whose sizes must be the weight's.
Axes normalized_axes(Frame& frame, Value x, Value weight) {
  const int first = x.rank() - weight.rank();
  frame.require(
      weight.rank() > 0 && first >= 0 &&
          std::ranges::equal(weight.type().dims(), x.type().dims().last(static_cast<std::size_t>(weight.rank()))),
      "the weight ", weight.type(), " does not fit ", x.type());
  Axes axes;
  for (int i = first; i < x.rank(); ++i) axes.push_back(i);
  return axes;
}

// What both normalisations share: the type in which to compute, and the weight in it.
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

}  // namespace weft
