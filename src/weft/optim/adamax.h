// Adamax, Adam by the largest gradient (Kingma & Ba 2015), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdamaxOptions {
  Scalar lr = 2e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

class Adamax : public OptimizerWith<AdamaxOptions> {
 public:
  template <class M>
  explicit Adamax(M& model, AdamaxOptions options = {}, std::vector<Group> groups = {})
      : Adamax(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Adamax(std::vector<NamedParameter> parameters, AdamaxOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
