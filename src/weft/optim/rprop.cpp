#include <weft/optim/rprop.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Rprop::Rprop(std::vector<NamedParameter> parameters, RpropOptions options, std::vector<Group> groups)
    : OptimizerWith("Rprop", std::move(parameters), std::move(options), std::move(groups),
                    {{.name = "prev"}, {.name = "step_size"}}) {
  require_option("eta_minus", options_.eta_minus, 0, 1);
  require_option("eta_plus", options_.eta_plus, 1);
  require_option("step_min", options_.step_min);
  require_option("step_max", options_.step_max);
}

void Rprop::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, minus, plus, least, most, weight_decay;
  };
  const Tensor minus = input(options_.eta_minus), plus = input(options_.eta_plus);
  const Tensor least = input(options_.step_min), most = input(options_.step_max);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), minus.to(dtype), plus.to(dtype),
                   least.to(dtype),  most.to(dtype),  u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor zero = constant(0, u.value.dtype());
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    const Tensor product = gradient * u.state[0], has_turned = product < zero;
    const Tensor factor = where(has_turned, n.minus, where(product > zero, n.plus, constant(1, u.value.dtype())));
    const Tensor taken = where(has_turned, zero, gradient);  // The step after a turn is left out.
    u.state[0] = taken;
    u.state[1] = clamp(where(u.state[1] == zero, n.rate, u.state[1]) * factor, n.least, n.most);
    u.result = u.value - sign(taken) * u.state[1];
  }
}

}  // namespace weft::optim
