// Lion (Chen et al. 2023): the sign of an interpolated momentum as the step, with decoupled weight decay.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LionOptions {
  Scalar lr = 1e-4, beta1 = 0.9, beta2 = 0.99;
  Scalar weight_decay = 0;  // the parameter shrinks by lr * weight_decay in every step
  Predicate decays = {};    // which parameters decay; none given: all
};

class Lion : public Optimizer {
 public:
  template <class M>
  explicit Lion(M& model, LionOptions options = {}) : Lion(named_parameters(model), std::move(options)) {}
  explicit Lion(std::vector<NamedParameter> parameters, LionOptions options = {});

  LionOptions& options() { return options_; }
  Scalar& lr() override { return options_.lr; }

 protected:
  void update(std::span<Update> updates) override;

 private:
  LionOptions options_;
};

}  // namespace weft::optim
