#include <weft/optim/rmsprop.h>

#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

RMSprop::RMSprop(std::vector<NamedParameter> parameters, RMSpropOptions options, std::vector<Group> groups)
    : OptimizerWith("RMSprop", std::move(parameters), std::move(options), std::move(groups), {{.name = "square_avg"}}) {
  require_option("alpha", options_.alpha, 0, 1);
  require_option("epsilon", options_.epsilon);
  require_option("momentum", options_.momentum);
  RMSprop::before_step();
  sync();
}

void RMSprop::before_step() { add_slot_for(options_.momentum, "momentum_buffer"); }

void RMSprop::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, rest, epsilon, momentum, weight_decay;
  };
  const Tensor rest = constant(1, DType::f64) - input(options_.alpha), epsilon = input(options_.epsilon);
  const Tensor momentum = input(options_.momentum);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), rest.to(dtype), epsilon.to(dtype), momentum.to(dtype), u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
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
