#include <weft/optim/sgd.h>

#include <weft/record/sync.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

SGD::SGD(std::vector<NamedParameter> parameters, SGDOptions options, std::vector<Group> groups)
    : OptimizerWith("SGD", std::move(parameters), std::move(options), std::move(groups), {}) {
  require_option("momentum", options_.momentum);
  require(!options_.nesterov || options_.momentum != 0, "SGD: nesterov needs a momentum");
  SGD::before_step();
  sync();
}

void SGD::before_step() { add_slot_for(options_.momentum, "momentum"); }

void SGD::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, momentum, weight_decay;
  };
  const Tensor momentum = input(options_.momentum);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    return Numbers{u.rate.to(dtype), momentum.to(dtype), u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    Tensor direction = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    if (!u.state.empty()) {
      const Tensor gathered = u.state[0] * n.momentum + direction;
      u.state[0] = where(n.momentum != 0, gathered, u.state[0]);  // as in PyTorch, unchanged while momentum is 0
      direction = options_.nesterov ? direction + gathered * n.momentum : gathered;
    }
    u.result = u.value - n.rate * direction;
  }
}

}  // namespace weft::optim
