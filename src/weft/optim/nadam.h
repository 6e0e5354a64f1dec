// NAdam, Adam with Nesterov's momentum (Dozat 2016), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct NAdamOptions {
  Scalar lr = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar momentum_decay = 4e-3;         // the momentum of step t is beta1 * (1 - 0.96^(t * momentum_decay) / 2)
  Scalar weight_decay = 0;              // weight_decay * parameter is added to the gradient,
  bool decoupled_weight_decay = false;  // or every step shrinks the parameter by lr * weight_decay, as in AdamW
  Predicate decays = {};                // which parameters decay; default: all
};

class NAdam : public OptimizerWith<NAdamOptions> {
 public:
  template <class M>
  explicit NAdam(M& model, NAdamOptions options = {}, std::vector<Group> groups = {})
      : NAdam(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit NAdam(std::vector<NamedParameter> parameters, NAdamOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
