// Adafactor (Shazeer & Stern 2018), with PyTorch's semantics: for each matrix, it keeps a number for each row and each column instead of
// one for each element. Parameters of rank 3 or higher are stacks of matrices.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdafactorOptions {
  Scalar lr = 1e-2;           // at most; relative to the root mean square of the parameter
  Scalar beta2_decay = -0.8;  // the weight of the newest squares is step^beta2_decay
  Scalar epsilon1 = 0;        // least root of a square; 0: the epsilon of the dtype
  Scalar epsilon2 = 1e-3;     // least root mean square of a parameter
  Scalar clipping = 1;        // the root mean square of the update is at most this; PyTorch's d
  Scalar weight_decay = 0;    // every step shrinks the parameter by lr * weight_decay
  Predicate decays = {};      // which parameters decay; default: all
};

class Adafactor : public OptimizerWith<AdafactorOptions> {
 public:
  template <class M>
  explicit Adafactor(M& model, AdafactorOptions options = {}, std::vector<Group> groups = {})
      : Adafactor(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Adafactor(std::vector<NamedParameter> parameters, AdafactorOptions options = {},
                     std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
