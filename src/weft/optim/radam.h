// RAdam, Adam whose adaptive rate begins as soon as its variance is finite (Liu et al. 2020), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct RAdamOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0;              // weight_decay * parameter is added to the gradient,
  bool decoupled_weight_decay = false;  // or every step shrinks the parameter by lr * weight_decay, as in AdamW
  Predicate decays = {};                // which parameters decay; default: all
};

class RAdam : public OptimizerWith<RAdamOptions> {
 public:
  template <class M>
  explicit RAdam(M& model, RAdamOptions options = {}, std::vector<Group> groups = {})
      : RAdam(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit RAdam(std::vector<NamedParameter> parameters, RAdamOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
