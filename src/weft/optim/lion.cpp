#include <weft/optim/lion.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Lion::Lion(std::vector<NamedParameter> parameters, LionOptions options, std::vector<Group> groups)
    : OptimizerWith("Lion", std::move(parameters), std::move(options), std::move(groups), {{.name = "exp_avg"}}) {
  require_option("beta1", options_.beta1, 0, 1);
  require_option("beta2", options_.beta2, 0, 1);
}

void Lion::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest1, rest2, decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor rest1 = one - input(options_.beta1), rest2 = one - input(options_.beta2);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), rest1.to(dtype), rest2.to(dtype), (one - u.rate * u.weight_decay).to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor average = u.state[0];
    const Tensor value = u.decays ? u.value * n.decay : u.value;
    u.result = value - n.rate * sign(average + (u.gradient - average) * n.rest1);
    u.state[0] = average + (u.gradient - average) * n.rest2;
  }
}

}  // namespace weft::optim
