#include <weft/optim/nadam.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft::optim {

NAdam::NAdam(std::vector<NamedParameter> parameters, NAdamOptions options, std::vector<Group> groups)
    : OptimizerWith("NAdam", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "exp_avg"}, {.name = "exp_avg_sq"}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
  require_option("momentum_decay", options_.momentum_decay);
}

namespace {

// The product of (1 - x^i / 2) for i = 1 to t, where x = exp(logarithm). Its logarithm is minus the sum of (x^k + x^2k + ... + x^tk) / (k
// 2^k) over all k, of which the first 60 suffice for f64.
Tensor product_of_momenta(const Tensor& logarithm, const Tensor& t) {
  const Tensor k = arange(1, 61).to(DType::f64), exponent = logarithm * k, zero = constant(0, DType::f64);
  const Tensor is_flat = exponent == zero, safe = where(is_flat, constant(-1, DType::f64), exponent);
  const Tensor powers = where(is_flat, t, exp(safe) * expm1(safe * t) / expm1(safe));
  return exp(-sum(powers * exp2(-k) / k));
}

}  // namespace

void NAdam::update(std::span<Update> updates) {
  struct Numbers {
    Tensor of_gradient, of_average, rest1, beta2, rest2, root_correction2, epsilon, decay;
  };
  const Tensor one = constant(1, DType::f64), half = constant(0.5, DType::f64);
  const Tensor beta1 = input(options_.beta1), beta2 = input(options_.beta2), epsilon = input(options_.epsilon);
  const Tensor logarithm = input(options_.momentum_decay) * constant(-0.040821994520255166, DType::f64);  // log(0.96)
  const bool decouples = options_.decoupled_weight_decay;
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const auto momentum = [&](const Tensor& t) { return beta1 * (one - half * exp(logarithm * t)); };
    const Tensor now = momentum(u.number), next = momentum(u.number + one);
    const Tensor product = pow(beta1, u.number) * product_of_momenta(logarithm, u.number);
    return Numbers{.of_gradient = (u.rate * (one - now) / (one - product)).to(dtype),
                   .of_average = (u.rate * next / (one - product * next)).to(dtype),
                   .rest1 = (one - beta1).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
                   .root_correction2 = sqrt(one - pow(beta2, u.number)).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .decay = (decouples ? one - u.rate * u.weight_decay : u.weight_decay).to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays && !decouples ? u.gradient + u.value * n.decay : u.gradient;
    const Tensor value = u.decays && decouples ? u.value * n.decay : u.value;
    u.state[0] = u.state[0] + (gradient - u.state[0]) * n.rest1;
    u.state[1] = u.state[1] * n.beta2 + gradient * gradient * n.rest2;
    const Tensor direction = gradient * n.of_gradient + u.state[0] * n.of_average;
    u.result = value - direction / (sqrt(u.state[1]) / n.root_correction2 + n.epsilon);
  }
}

}  // namespace weft::optim
