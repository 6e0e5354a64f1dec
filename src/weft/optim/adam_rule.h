// The rule of Adam and AdamW for one parameter, which other optimizers use for some parameters, too.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

class AdamRule {
 public:
  AdamRule(const Scalar& beta1, const Scalar& beta2, const Scalar& epsilon, bool decouples_decay);

  // Sets the result and the two averages. Divides by the greatest average of squares so far, if there is a state for it, which is set, too.
  void apply(Optimizer::Update& update, Parameter& average, Parameter& square_average,
             Parameter* greatest_square_average = nullptr);

 private:
  struct Numbers {
    Tensor rest1, beta2, rest2, epsilon, step_size, root_correction2, decay;
  };
  Numbers numbers_of(const Optimizer::Update& update) const;

  Tensor beta1_, beta2_, epsilon_;
  bool decouples_decay_;
  Optimizer::Shared<Numbers> shared_;
};

}  // namespace weft::optim
