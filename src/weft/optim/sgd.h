// Stochastic gradient descent with momentum, with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct SGDOptions {
  Scalar lr = 1e-3;
  Scalar momentum = 0;      // its state starts with the first nonzero momentum and stays unchanged while momentum is 0
  bool nesterov = false;    // looks ahead along the momentum, which must not be 0
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class SGD : public OptimizerWith<SGDOptions> {
 public:
  template <class M>
  explicit SGD(M& model, SGDOptions options = {}, std::vector<Group> groups = {})
      : SGD(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit SGD(std::vector<NamedParameter> parameters, SGDOptions options = {}, std::vector<Group> groups = {});

 protected:
  void before_step() override;
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
