#include <weft/optim/lion.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Lion::Lion(std::vector<NamedParameter> parameters, LionOptions options)
    : Optimizer(std::move(parameters), {"exp_avg"}), options_(std::move(options)) {
  require_option("Lion", "lr", options_.lr);
  require_option("Lion", "beta1", options_.beta1, 0, 1);
  require_option("Lion", "beta2", options_.beta2, 0, 1);
  require_option("Lion", "weight_decay", options_.weight_decay);
}

void Lion::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest1, rest2, decay;
  };
  const Tensor one = constant(1, DType::f64), rate = input(lr()), decay = one - rate * input(options_.weight_decay);
  const Tensor rest1 = one - input(options_.beta1), rest2 = one - input(options_.beta2);
  const auto make = [&](DType dtype, const Tensor&) {
    return Numbers{rate.to(dtype), rest1.to(dtype), rest2.to(dtype), decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor average = u.state[0];
    const Tensor value = decays ? u.value * n.decay : u.value;
    u.result = value - n.rate * sign(average + (u.gradient - average) * n.rest1);
    u.state[0] = average + (u.gradient - average) * n.rest2;
  }
}

}  // namespace weft::optim
