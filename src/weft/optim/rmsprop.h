// RMSprop (Hinton 2012), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct RMSpropOptions {
  Scalar lr = 1e-2, alpha = 0.99, epsilon = 1e-8;
  Scalar momentum = 0;      // its state starts with the first nonzero momentum and stays unchanged while momentum is 0
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class RMSprop : public OptimizerWith<RMSpropOptions> {
 public:
  template <class M>
  explicit RMSprop(M& model, RMSpropOptions options = {}, std::vector<Group> groups = {})
      : RMSprop(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit RMSprop(std::vector<NamedParameter> parameters, RMSpropOptions options = {}, std::vector<Group> groups = {});

 protected:
  void before_step() override;
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
