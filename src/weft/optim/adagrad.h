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

class Adagrad : public Optimizer {
 public:
  template <class M>
  explicit Adagrad(M& model, AdagradOptions options = {}) : Adagrad(named_parameters(model), std::move(options)) {}
  explicit Adagrad(std::vector<NamedParameter> parameters, AdagradOptions options = {});

  AdagradOptions& options() { return options_; }
  Scalar& lr() override { return options_.lr; }

 protected:
  void update(std::span<Update> updates) override;

 private:
  AdagradOptions options_;
};

}  // namespace weft::optim
