// Lion (Chen et al. 2023): each step is the sign of an interpolated momentum, with decoupled weight decay.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LionOptions {
  Scalar lr = 1e-4, beta1 = 0.9, beta2 = 0.99;
  Scalar weight_decay = 0;  // every step shrinks the parameter by lr * weight_decay
  Predicate decays = {};    // which parameters decay; default: all
};

class Lion : public OptimizerWith<LionOptions> {
 public:
  template <class M>
  explicit Lion(M& model, LionOptions options = {}, std::vector<Group> groups = {})
      : Lion(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Lion(std::vector<NamedParameter> parameters, LionOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
