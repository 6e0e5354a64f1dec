// Adadelta (Zeiler 2012), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdadeltaOptions {
  Scalar lr = 1, rho = 0.9, epsilon = 1e-6;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class Adadelta : public OptimizerWith<AdadeltaOptions> {
 public:
  template <class M>
  explicit Adadelta(M& model, AdadeltaOptions options = {}, std::vector<Group> groups = {})
      : Adadelta(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Adadelta(std::vector<NamedParameter> parameters, AdadeltaOptions options = {},
                    std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
