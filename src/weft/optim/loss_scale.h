// Dynamic loss scaling, for gradients of f16: they are computed of the loss times a scale, so that small ones do not become 0. A step
// whose gradients overflow is skipped, and the scale shrinks; after many steps without an overflow, it grows. All of this is decided on
// the device: the host does not wait, and nothing is compiled again.
//
//   optim::LossScale scale;
//   const auto train_step = compile([&](const Tensor& x, const Tensor& y) {
//     const Tensor loss = ...;
//     scale.step(optimizer, grad(scale * loss, optimizer.parameters()));
//     return loss;
//   });
//
// If gradients are clipped, unscale them before:
//     const optim::Unscaled unscaled = scale.unscale(gradients);
//     optimizer.step_if(unscaled.are_finite, optim::clip_grad_norm(unscaled.gradients, 1.0).gradients);
//     scale.update(unscaled.are_finite);
//
// state_dict(scale) saves the scale, load_state_dict loads it. The semantics are those of torch.amp.GradScaler.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LossScaleOptions {
  double initial = 65536;
  double growth = 2, backoff = 0.5;     // factors of the scale
  std::int64_t growth_interval = 2000;  // steps without an overflow after which the scale grows
};

struct Unscaled {
  std::vector<Tensor> gradients;  // f32 or wider
  Tensor are_finite;              // one boolean: whether all elements are finite
  void fields(auto&& field) {
    field("gradients", gradients);
    field("are_finite", are_finite);
  }
};

class LossScale {
 public:
  explicit LossScale(const LossScaleOptions& options = {});

  // Returns scale * loss. A loss of f16 becomes f32, because the scale may exceed what f16 holds.
  Tensor operator*(const Tensor& loss) const;
  Unscaled unscale(std::span<const Tensor> gradients,
                   std::source_location where = std::source_location::current()) const;
  // To be called once for each step.
  void update(const Tensor& are_finite);
  // All of these: unscales the gradients, takes the step of the optimizer if they are finite, and updates the scale.
  void step(Optimizer& optimizer, std::span<const Tensor> gradients,
            std::source_location where = std::source_location::current());

  const Tensor& value() const { return scale_.tensor(); }  // f32

  void fields(auto&& field) {
    field("scale", scale_);
    field("steps_without_overflow", steps_);
  }

 private:
  LossScaleOptions options_;
  Parameter scale_, steps_;
};

}  // namespace weft::optim
