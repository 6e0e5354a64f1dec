// Adagrad (Duchi, Hazan & Singer 2011), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;  // the rate of step t is lr / (1 + (t - 1) * lr_decay)
  double epsilon = 1e-10;
  double weight_decay = 0;  // times the parameter, added to the gradient
  Predicate decays = {};    // which parameters decay; none given: all
};

class Adagrad : public Optimizer {
 public:
  template <class M>
  explicit Adagrad(M& model, AdagradOptions options = {}) : Adagrad(named_parameters(model), std::move(options)) {}
  explicit Adagrad(std::vector<NamedParameter> parameters, AdagradOptions options = {});

 protected:
  void update(std::span<Update> updates, const Tensor& number) override;

 private:
  AdagradOptions options_;
};

}  // namespace weft::optim
