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
class RowWiseAdagrad : public OptimizerWith<RowWiseAdagradOptions> {
 public:
  template <class M>
  explicit RowWiseAdagrad(M& model, RowWiseAdagradOptions options = {}, std::vector<Group> groups = {})
      : RowWiseAdagrad(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit RowWiseAdagrad(std::vector<NamedParameter> parameters, RowWiseAdagradOptions options = {},
                          std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

struct PartialRowWiseAdamOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the step
  Predicate decays = {};    // which parameters decay; default: all
};

// Adam whose second moment is one number for each row: the average of the means of the squared gradients of the row.
class PartialRowWiseAdam : public OptimizerWith<PartialRowWiseAdamOptions> {
 public:
  template <class M>
  explicit PartialRowWiseAdam(M& model, PartialRowWiseAdamOptions options = {}, std::vector<Group> groups = {})
      : PartialRowWiseAdam(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit PartialRowWiseAdam(std::vector<NamedParameter> parameters, PartialRowWiseAdamOptions options = {},
                              std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;
};

}  // namespace weft::optim
