// L-BFGS (Liu & Nocedal 1989), with PyTorch's semantics without a line search: every step() is one iteration, with a direction from the
// last steps and the changes of the gradient that they made. For losses without noise, over all data.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct LBFGSOptions {
  Scalar lr =
      1;  // the first step is lr * min(1, 1 / the sum of the gradient's magnitudes), because nothing is known of the loss
  std::int64_t history = 10;  // so many steps are kept, with twice the memory of the parameters each
  Scalar weight_decay = 0;    // weight_decay * parameter is added to the gradient
  Predicate decays = {};      // which parameters decay; default: all
};

class LBFGS : public OptimizerWith<LBFGSOptions> {
 public:
  template <class M>
  explicit LBFGS(M& model, LBFGSOptions options = {}, std::vector<Group> groups = {})
      : LBFGS(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit LBFGS(std::vector<NamedParameter> parameters, LBFGSOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
