#include <weft/optim/rmsprop.h>

#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

RMSprop::RMSprop(std::vector<NamedParameter> parameters, RMSpropOptions options)
    : Optimizer(std::move(parameters), {"square_avg"}), options_(std::move(options)) {
  require_option("RMSprop", "lr", options_.lr);
  require_option("RMSprop", "alpha", options_.alpha, 0, 1);
  require_option("RMSprop", "epsilon", options_.epsilon);
  require_option("RMSprop", "momentum", options_.momentum);
  require_option("RMSprop", "weight_decay", options_.weight_decay);
  RMSprop::before_step();
  sync();
}

void RMSprop::before_step() { add_slot_for(options_.momentum, "momentum_buffer"); }

void RMSprop::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest, epsilon, momentum, weight_decay;
  };
  const Tensor rate = input(lr()), rest = constant(1, DType::f64) - input(options_.alpha),
               epsilon = input(options_.epsilon);
  const Tensor momentum = input(options_.momentum), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor&) {
    return Numbers{rate.to(dtype), rest.to(dtype), epsilon.to(dtype), momentum.to(dtype), weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    const Tensor gradient = decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.state[0] = u.state[0] + (gradient * gradient - u.state[0]) * n.rest;
    Tensor direction = gradient / (sqrt(u.state[0]) + n.epsilon);
    if (u.state.size() == 2) {
      direction = u.state[1] * n.momentum + direction;
      u.state[1] = where(n.momentum != 0, direction, u.state[1]);  // as in PyTorch, unchanged while momentum is 0
    }
    u.result = u.value - n.rate * direction;
  }
}

}  // namespace weft::optim
