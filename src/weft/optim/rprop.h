// Rprop, steps by the signs of gradients (Riedmiller & Braun 1993), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct RpropOptions {
  Scalar lr = 1e-2;                        // the size of the first step
  Scalar eta_minus = 0.5, eta_plus = 1.2;  // the factors of a step whose gradient has changed its sign, or kept it
  Scalar step_min = 1e-6, step_max = 50;   // the bounds of a step
  Scalar weight_decay = 0;                 // weight_decay * parameter is added to the gradient
  Predicate decays = {};                   // which parameters decay; default: all
};

class Rprop : public OptimizerWith<RpropOptions> {
 public:
  template <class M>
  explicit Rprop(M& model, RpropOptions options = {}, std::vector<Group> groups = {})
      : Rprop(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Rprop(std::vector<NamedParameter> parameters, RpropOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
