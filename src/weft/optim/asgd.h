// Averaged SGD (Polyak & Juditsky 1992), with PyTorch's semantics. The average is in the state, as <parameter>.ax.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct ASGDOptions {
  Scalar lr = 1e-2;
  Scalar lambd = 1e-4,
         alpha = 0.75;      // the rate of step t is lr / (1 + lambd * lr * (t - 1))^alpha; steps shrink by lambd * rate
  Scalar t0 = 1e6;          // the step after which the average begins
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class ASGD : public OptimizerWith<ASGDOptions> {
 public:
  template <class M>
  explicit ASGD(M& model, ASGDOptions options = {}, std::vector<Group> groups = {})
      : ASGD(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit ASGD(std::vector<NamedParameter> parameters, ASGDOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
