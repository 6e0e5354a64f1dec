// Optimizers that keep one number instead of a whole row of state for each row of a matrix, as TorchRec and FBGEMM do for
// embedding tables.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct RowWiseAdagradOptions {
  Scalar lr = 1e-2, epsilon = 1e-8;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
};

// Adagrad whose sum, for each row, is that of the means of the squared gradients of the row. Parameters have rank 1 or
// higher; a row runs along the last dimension.
class RowWiseAdagrad : public Optimizer {
 public:
  template <class M>
  explicit RowWiseAdagrad(M& model, RowWiseAdagradOptions options = {})
      : RowWiseAdagrad(named_parameters(model), std::move(options)) {}
  explicit RowWiseAdagrad(std::vector<NamedParameter> parameters, RowWiseAdagradOptions options = {});

  RowWiseAdagradOptions& options() { return options_; }
  Scalar& lr() override { return options_.lr; }

 protected:
  void update(std::span<Update> updates) override;

 private:
  RowWiseAdagradOptions options_;
};

struct PartialRowWiseAdamOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the step
  Predicate decays = {};    // which parameters decay; default: all
};

// Adam whose second moment is one number for each row: the average of the means of the squared gradients of the row.
class PartialRowWiseAdam : public Optimizer {
 public:
  template <class M>
  explicit PartialRowWiseAdam(M& model, PartialRowWiseAdamOptions options = {})
      : PartialRowWiseAdam(named_parameters(model), std::move(options)) {}
  explicit PartialRowWiseAdam(std::vector<NamedParameter> parameters, PartialRowWiseAdamOptions options = {});

  PartialRowWiseAdamOptions& options() { return options_; }
  Scalar& lr() override { return options_.lr; }

 protected:
  void update(std::span<Update> updates) override;

 private:
  PartialRowWiseAdamOptions options_;
};

}  // namespace weft::optim
