#include <weft/optim/adam.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

Adam::Adam(std::vector<NamedParameter> parameters, AdamOptions options, bool decoupled_decay)
    : Optimizer(std::move(parameters), {"exp_avg", "exp_avg_sq"}),
      options_(std::move(options)),
      decoupled_decay_(decoupled_decay) {
  const char* name = decoupled_decay ? "AdamW" : "Adam";
  require_option(name, "lr", options_.lr);
  require_option(name, "beta1", options_.beta1, 0, 1);
  require_option(name, "beta2", options_.beta2, 0, 1);
  require_option(name, "epsilon", options_.epsilon);
  require_option(name, "weight_decay", options_.weight_decay);
}

Adam::Adam(std::vector<NamedParameter> parameters, AdamOptions options)
    : Adam(std::move(parameters), std::move(options), false) {}

AdamW::AdamW(std::vector<NamedParameter> parameters, AdamWOptions options)
    : Adam(std::move(parameters),
           {options.lr, options.beta1, options.beta2, options.epsilon, options.weight_decay, std::move(options.decays)},
           true) {}

void Adam::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rest1, beta2, rest2, epsilon, step_size, root_correction2, decay;
  };
  const Tensor rate = input(lr()), beta1 = input(options_.beta1), beta2 = input(options_.beta2),
               one = constant(1, DType::f64);
  const Tensor epsilon = input(options_.epsilon), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor& number) {
    return Numbers{.rest1 = (one - beta1).to(dtype),
                   .beta2 = beta2.to(dtype),
                   .rest2 = (one - beta2).to(dtype),
                   .epsilon = epsilon.to(dtype),
                   .step_size = (rate / (one - pow(beta1, number))).to(dtype),
                   .root_correction2 = sqrt(one - pow(beta2, number)).to(dtype),
                   .decay = (decoupled_decay_ ? one - rate * weight_decay : weight_decay).to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor gradient = decays && !decoupled_decay_ ? u.gradient + u.value * n.decay : u.gradient;
    const Tensor value = decays && decoupled_decay_ ? u.value * n.decay : u.value;
    const Tensor average = u.state[0] + (gradient - u.state[0]) * n.rest1;
    const Tensor square_average = u.state[1] * n.beta2 + gradient * gradient * n.rest2;
    u.result = value - n.step_size * (average / (sqrt(square_average) / n.root_correction2 + n.epsilon));
    u.state[0] = average;
    u.state[1] = square_average;
  }
}

}  // namespace weft::optim
