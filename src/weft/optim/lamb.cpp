#include <weft/optim/lamb.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

namespace {

Tensor norm(const Tensor& x) { return sqrt(sum(x * x)); }

// |value| / |direction|; 1 if either is 0, so that parameters that start at zero can change.
Tensor trust(const Tensor& value, const Tensor& direction) {
  const Tensor size = norm(value), step = norm(direction), zero = constant(0, value.dtype());
  return where(logical_and(size > zero, step > zero), size / step, ones_like(size));
}

}  // namespace

LAMB::LAMB(std::vector<NamedParameter> parameters, LAMBOptions options, std::vector<Group> groups)
    : OptimizerWith("LAMB", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "exp_avg"}, {.name = "exp_avg_sq"}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
}

void LAMB::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest1, correction1, beta2, rest2, correction2, epsilon, weight_decay;
  };
  const Tensor one = constant(1, DType::f64), beta1 = input(options_.beta1), beta2 = input(options_.beta2);
  const Tensor epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{.rate = u.rate.to(dtype),
                   .rest1 = (one - beta1).to(dtype),
                   .correction1 = (one - pow(beta1, u.number)).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
                   .correction2 = (one - pow(beta2, u.number)).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .weight_decay = u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor average = u.state[0] + (u.gradient - u.state[0]) * n.rest1;
    const Tensor square_average = u.state[1] * n.beta2 + u.gradient * u.gradient * n.rest2;
    const Tensor adam = (average / n.correction1) / (sqrt(square_average / n.correction2) + n.epsilon);
    const Tensor direction = u.decays ? adam + u.value * n.weight_decay : adam;
    u.result = u.value - n.rate * trust(u.value, direction) * direction;
    u.state[0] = average;
    u.state[1] = square_average;
  }
}

}  // namespace weft::optim
