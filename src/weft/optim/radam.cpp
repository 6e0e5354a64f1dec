#include <weft/optim/radam.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

RAdam::RAdam(std::vector<NamedParameter> parameters, RAdamOptions options, std::vector<Group> groups)
    : OptimizerWith("RAdam", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "exp_avg"}, {.name = "exp_avg_sq"}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
}

void RAdam::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, is_adaptive, factor, rest1, beta2, rest2, epsilon, decay;
  };
  const auto number = [](double value) { return constant(value, DType::f64); };
  const Tensor one = number(1), two = number(2), four = number(4);
  const Tensor beta1 = input(options_.beta1), beta2 = input(options_.beta2), epsilon = input(options_.epsilon);
  const bool decouples = options_.decoupled_weight_decay;
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const Tensor power2 = pow(beta2, u.number), correction2 = one - power2;
    const Tensor last = two / (one - beta2) - one, length = last - two * u.number * power2 / correction2;
    const Tensor is_adaptive = length > number(5), safe = where(is_adaptive, length, number(5));
    const Tensor rectified = (safe - four) * (safe - two) * last / ((last - four) * (last - two) * safe);
    return Numbers{.rate = (u.rate / (one - pow(beta1, u.number))).to(dtype),
                   .is_adaptive = is_adaptive,
                   .factor = sqrt(rectified * correction2).to(dtype),
                   .rest1 = (one - beta1).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
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
    const Tensor adapted = u.state[0] * n.factor / (sqrt(u.state[1]) + n.epsilon);
    u.result = value - n.rate * where(n.is_adaptive, adapted, u.state[0]);
  }
}

}  // namespace weft::optim
