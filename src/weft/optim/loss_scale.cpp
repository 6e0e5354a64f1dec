#include <weft/optim/loss_scale.h>

#include <weft/record/call.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

LossScale::LossScale(const LossScaleOptions& options)
    : options_(options), scale_(full({}, options.initial, DType::f32)), steps_(zeros({}, DType::i64)) {
  require(options.initial > 0, "LossScale: initial must be positive, got ", options.initial);
  require(options.growth >= 1, "LossScale: growth must be at least 1, got ", options.growth);
  require(options.backoff > 0 && options.backoff < 1, "LossScale: backoff must lie in (0, 1), got ", options.backoff);
  require(options.growth_interval > 0, "LossScale: growth_interval must be positive, got ", options.growth_interval);
  scale_.requires_grad = false;
  steps_.requires_grad = false;
}

Tensor LossScale::operator*(const Tensor& loss) const {
  return scale_.tensor().to(promote(loss.dtype(), DType::f32)) * loss;
}

Unscaled LossScale::unscale(std::span<const Tensor> gradients, std::source_location where) const {
  const record::Call call("LossScale.unscale", where);
  call.require(!gradients.empty(), "no gradients");
  const Tensor inverse = constant(1, DType::f64) / scale_.tensor().to(DType::f64);
  Unscaled unscaled;
  for (const Tensor& gradient : gradients) {
    const DType dtype = promote(gradient.dtype(), DType::f32);
    unscaled.gradients.push_back(gradient.to(dtype) * inverse.to(dtype));
    const Tensor is_finite = all(isfinite(unscaled.gradients.back()));
    unscaled.are_finite = unscaled.are_finite.defined() ? logical_and(unscaled.are_finite, is_finite) : is_finite;
  }
  return unscaled;
}

void LossScale::update(const Tensor& are_finite) {
  const Tensor steps = steps_.tensor() + constant(1, DType::i64), scale = scale_.tensor();
  const Tensor grows = steps == constant(options_.growth_interval, DType::i64);
  const Tensor grown = scale * constant(options_.growth);
  const Tensor larger = where(logical_and(grows, isfinite(grown)), grown, scale);
  scale_ = where(are_finite, larger, scale * constant(options_.backoff));
  steps_ = where(logical_and(are_finite, !grows), steps, constant(0, DType::i64));
}

void LossScale::step(Optimizer& optimizer, std::span<const Tensor> gradients, std::source_location where) {
  const Unscaled unscaled = unscale(gradients, where);
  optimizer.step_if(unscaled.are_finite, unscaled.gradients, where);
  update(unscaled.are_finite);
}

}  // namespace weft::optim
