// Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019), with PyTorch's semantics.
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct AdamOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0;  // weight_decay * parameter is added to the gradient
  Predicate decays = {};    // which parameters decay; default: all
  bool amsgrad = false;  // divides by the greatest average of squares so far (Reddi et al. 2018); set when it is made
};

struct AdamWOptions {
  Scalar lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Scalar weight_decay = 0.01;  // every step shrinks the parameter by lr * weight_decay
  Predicate decays = {};       // which parameters decay; default: all. is_matrix excludes biases and normalisations
  bool amsgrad = false;        // as of Adam
};

class Adam : public OptimizerWith<AdamOptions> {
 public:
  template <class M>
  explicit Adam(M& model, AdamOptions options = {}, std::vector<Group> groups = {})
      : Adam(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Adam(std::vector<NamedParameter> parameters, AdamOptions options = {}, std::vector<Group> groups = {});

 protected:
  Adam(std::vector<NamedParameter> parameters, AdamOptions options, std::vector<Group> groups, bool decoupled_decay);
  void update(std::span<Update> updates) override;

 private:
  static std::vector<Slot> slots_of(const AdamOptions& options);

  bool decoupled_decay_;
};

class AdamW : public Adam {
 public:
  template <class M>
  explicit AdamW(M& model, AdamWOptions options = {}, std::vector<Group> groups = {})
      : AdamW(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit AdamW(std::vector<NamedParameter> parameters, AdamWOptions options = {}, std::vector<Group> groups = {});
};

}  // namespace weft::optim
