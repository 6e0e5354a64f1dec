#include <weft/optim/adagrad.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Adagrad::Adagrad(std::vector<NamedParameter> parameters, AdagradOptions options)
    : Optimizer(std::move(parameters), {"sum"}), options_(std::move(options)) {
  require_option("Adagrad", "lr", options_.lr);
  require_option("Adagrad", "lr_decay", options_.lr_decay);
  require_option("Adagrad", "epsilon", options_.epsilon);
  require_option("Adagrad", "weight_decay", options_.weight_decay);
}

void Adagrad::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, epsilon, weight_decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor lr_now = input(lr()), lr_decay = input(options_.lr_decay);
  const Tensor epsilon = input(options_.epsilon), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor& number) {
    const Tensor rate = lr_now / (one + (number - one) * lr_decay);
    return Numbers{rate.to(dtype), epsilon.to(dtype), weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor gradient = decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + gradient * gradient;
    u.result = u.value - n.rate * (gradient / (sqrt(u.state[0]) + n.epsilon));
  }
}

}  // namespace weft::optim
