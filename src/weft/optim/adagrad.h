// Adagrad (Duchi, Hazan & Singer 2011), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdagradOptions {
  Scalar lr = 1e-2;
  Scalar lr_decay = 0;  // the learning rate of step t is lr / (1 + (t - 1) * lr_decay)
  Scalar epsilon = 1e-10;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class Adagrad : public OptimizerWith<AdagradOptions> {
 public:
  template <class M>
  explicit Adagrad(M& model, AdagradOptions options = {}, std::vector<Group> groups = {})
      : Adagrad(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Adagrad(std::vector<NamedParameter> parameters, AdagradOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
