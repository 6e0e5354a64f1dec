#include <weft/optim/adadelta.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Adadelta::Adadelta(std::vector<NamedParameter> parameters, AdadeltaOptions options, std::vector<Group> groups)
    : OptimizerWith("Adadelta", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "square_avg"}, {.name = "acc_delta"}}) {
  require_option("rho", options_.rho, 0, 1);
  require_option("epsilon", options_.epsilon);
}

void Adadelta::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest, epsilon, weight_decay;
  };
  const Tensor rest = constant(1, DType::f64) - input(options_.rho), epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), rest.to(dtype), epsilon.to(dtype), u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + (gradient * gradient - u.state[0]) * n.rest;
    const Tensor delta = sqrt(u.state[1] + n.epsilon) / sqrt(u.state[0] + n.epsilon) * gradient;
    u.state[1] = u.state[1] + (delta * delta - u.state[1]) * n.rest;
    u.result = u.value - n.rate * delta;
  }
}

}  // namespace weft::optim
