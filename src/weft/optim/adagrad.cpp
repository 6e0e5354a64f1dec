#include <weft/optim/adagrad.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Adagrad::Adagrad(std::vector<NamedParameter> parameters, AdagradOptions options, std::vector<Group> groups)
    : OptimizerWith("Adagrad", std::move(parameters), std::move(options), std::move(groups), {{.name = "sum"}}) {
  require_option("lr_decay", options_.lr_decay);
  require_option("epsilon", options_.epsilon);
}

void Adagrad::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, epsilon, weight_decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor lr_decay = input(options_.lr_decay), epsilon = input(options_.epsilon);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const Tensor rate = u.rate / (one + (u.number - one) * lr_decay);
    return Numbers{rate.to(dtype), epsilon.to(dtype), u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + gradient * gradient;
    u.result = u.value - n.rate * (gradient / (sqrt(u.state[0]) + n.epsilon));
  }
}

}  // namespace weft::optim
