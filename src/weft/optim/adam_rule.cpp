#include <weft/optim/adam_rule.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

AdamRule::AdamRule(const Scalar& beta1, const Scalar& beta2, const Scalar& epsilon, bool decouples_decay)
    : beta1_(Optimizer::input(beta1)),
      beta2_(Optimizer::input(beta2)),
      epsilon_(Optimizer::input(epsilon)),
      decouples_decay_(decouples_decay) {}

AdamRule::Numbers AdamRule::numbers_of(const Optimizer::Update& u) const {
  const DType dtype = u.value.dtype();
  const Tensor one = constant(1, DType::f64);
  return {.rest1 = (one - beta1_).to(dtype),
          .beta2 = beta2_.to(dtype),
          .rest2 = (one - beta2_).to(dtype),
          .epsilon = epsilon_.to(dtype),
          .step_size = (u.rate / (one - pow(beta1_, u.number))).to(dtype),
          .root_correction2 = sqrt(one - pow(beta2_, u.number)).to(dtype),
          .decay = (decouples_decay_ ? one - u.rate * u.weight_decay : u.weight_decay).to(dtype)};
}

void AdamRule::apply(Optimizer::Update& u, Parameter& average, Parameter& square_average,
                     Parameter* greatest_square_average) {
  const Numbers& n = shared_.get(u, [&](const Optimizer::Update& update) { return numbers_of(update); });
  const Tensor gradient = u.decays && !decouples_decay_ ? u.gradient + u.value * n.decay : u.gradient;
  const Tensor value = u.decays && decouples_decay_ ? u.value * n.decay : u.value;
  average = average + (gradient - average) * n.rest1;
  square_average = square_average * n.beta2 + gradient * gradient * n.rest2;
  if (greatest_square_average) *greatest_square_average = maximum(*greatest_square_average, square_average);
  const Tensor square = greatest_square_average ? *greatest_square_average : square_average;
  u.result = value - n.step_size * (average / (sqrt(square) / n.root_correction2 + n.epsilon));
}

}  // namespace weft::optim
