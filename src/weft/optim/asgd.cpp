#include <weft/optim/asgd.h>

#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>

namespace weft::optim {

ASGD::ASGD(std::vector<NamedParameter> parameters, ASGDOptions options, std::vector<Group> groups)
    : OptimizerWith("ASGD", std::move(parameters), std::move(options), std::move(groups), {{.name = "ax"}}) {
  require_option("lambd", options_.lambd);
  require_option("alpha", options_.alpha);
  require_option("t0", options_.t0);
}

void ASGD::update(std::span<Update> updates) {
  struct Numbers {
    Tensor rate, kept, share, weight_decay;
  };
  const Tensor one = constant(1, DType::f64);
  const Tensor lambd = input(options_.lambd), alpha = input(options_.alpha), t0 = input(options_.t0);
  const auto make = [&](const Update& u) {
    const DType dtype = u.value.dtype();
    const Tensor before = u.number - one, rate = u.rate / pow(one + lambd * u.rate * before, alpha);
    return Numbers{rate.to(dtype), (one - lambd * rate).to(dtype), (one / maximum(one, before - t0)).to(dtype),
                   u.weight_decay.to(dtype)};
  };
  Shared<Numbers> shared;
  for (Update& u : updates) {
    const Numbers& n = shared.get(u, make);
    const Tensor gradient = u.decays ? u.gradient + u.value * n.weight_decay : u.gradient;
    u.result = u.value * n.kept - n.rate * gradient;
    u.state[0] = u.state[0] + (u.result - u.state[0]) * n.share;
  }
}

}  // namespace weft::optim
