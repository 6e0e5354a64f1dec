#include <weft/optim/sgd.h>

#include <weft/record/sync.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

SGD::SGD(std::vector<NamedParameter> parameters, SGDOptions options)
    : Optimizer(std::move(parameters), {}), options_(std::move(options)) {
  require_option("SGD", "lr", options_.lr);
  require_option("SGD", "momentum", options_.momentum);
  require_option("SGD", "weight_decay", options_.weight_decay);
  require(!options_.nesterov || options_.momentum != 0, "SGD: nesterov needs a momentum");
  SGD::before_step();
  sync();
}

void SGD::before_step() { add_slot_for(options_.momentum, "momentum"); }

void SGD::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, momentum, weight_decay;
  };
  const Tensor rate = input(lr()), momentum = input(options_.momentum), weight_decay = input(options_.weight_decay);
  const auto make = [&](DType dtype, const Tensor&) {
    return Numbers{rate.to(dtype), momentum.to(dtype), weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const bool decays = options_.weight_decay != 0 && (!options_.decays || options_.decays(u.parameter));
    Tensor direction = decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    if (!u.state.empty()) {
      const Tensor gathered = u.state[0] * n.momentum + direction;
      u.state[0] = where(n.momentum != 0, gathered, u.state[0]);  // as in PyTorch, unchanged while momentum is 0
      direction = options_.nesterov ? direction + gathered * n.momentum : gathered;
    }
    u.result = u.value - n.rate * direction;
  }
}

}  // namespace weft::optim
