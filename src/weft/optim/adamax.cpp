#include <weft/optim/adamax.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Adamax::Adamax(std::vector<NamedParameter> parameters, AdamaxOptions options, std::vector<Group> groups)
    : OptimizerWith("Adamax", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "exp_avg"}, {.name = "exp_inf"}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
  require_option("epsilon", options_.epsilon);
}

void Adamax::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest1, beta2, epsilon, weight_decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor beta1 = input(options_.beta1), beta2 = input(options_.beta2), epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const Tensor rate = u.rate / (one - pow(beta1, u.number));
    return Numbers{rate.to(dtype), (one - beta1).to(dtype), beta2.to(dtype), epsilon.to(dtype),
                   u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + (gradient - u.state[0]) * n.rest1;
    u.state[1] = maximum(u.state[1] * n.beta2, abs(gradient) + n.epsilon);
    u.result = u.value - n.rate * (u.state[0] / u.state[1]);
  }
}

}  // namespace weft::optim
