// LAMB (You et al. 2020): AdamW whose step for each parameter is scaled to the norm of the parameter; for large
// batches.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LAMBOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6;
  Scalar weight_decay = 0.01;  // weight_decay * parameter is added to the step before it is scaled
  Predicate decays = {};       // which parameters decay; default: all
};

class LAMB : public OptimizerWith<LAMBOptions> {
 public:
  template <class M>
  explicit LAMB(M& model, LAMBOptions options = {}, std::vector<Group> groups = {})
      : LAMB(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit LAMB(std::vector<NamedParameter> parameters, LAMBOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
