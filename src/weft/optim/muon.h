// Muon (Jordan et al. 2024), with PyTorch's semantics: the step of a matrix is its momentum with all singular values near 1, computed by
// Newton-Schulz iterations. Other parameters are updated as by AdamW. As is usual, embeddings and the last layer should be, too:
//
//   optim::Muon optimizer(model, {.lr = 0.02, .orthogonalizes = [](const NamedParameter& p) { return p.name.starts_with("blocks."); }},
//                         {{.names = "blocks.*"}, {.names = "*", .lr_factor = 0.1}});
//
// The iterations are computed in f32 for 16-bit floats, in the parameter's dtype otherwise (in PyTorch, in bf16).
#pragma once

#include <weft/optim/optimizer.h>

namespace weft::optim {

struct MuonOptions {
  Scalar lr = 1e-3, momentum = 0.95;
  bool nesterov = true;
  std::int64_t iterations = 5;
  // The step of a matrix [rows, columns] is scaled by sqrt(max(1, rows / columns)); if true, by 0.2 sqrt(max(rows, columns)), so that
  // rates for AdamW fit.
  bool matches_adamw = false;
  Scalar epsilon = 1e-7;                                   // least norm by which a matrix is divided
  Scalar beta1 = 0.9, beta2 = 0.999, adam_epsilon = 1e-8;  // of AdamW
  Scalar weight_decay = 0.1;                               // every step shrinks the parameter by lr * weight_decay
  Predicate decays = {};                                   // which parameters decay; default: all
  // Chooses which parameters of rank 2 get orthogonal steps; default: all. The others are updated by AdamW.
  Predicate orthogonalizes = {};
};

class Muon : public OptimizerWith<MuonOptions> {
 public:
  template <class M>
  explicit Muon(M& model, MuonOptions options = {}, std::vector<Group> groups = {})
      : Muon(named_parameters(model), std::move(options), std::move(groups)) {}
  explicit Muon(std::vector<NamedParameter> parameters, MuonOptions options = {}, std::vector<Group> groups = {});

 protected:
  void update(std::span<Update> updates) override;

 private:
  Muon(std::vector<NamedParameter> parameters, MuonOptions options, std::vector<Group> groups, Predicate has_momentum);
  Tensor orthogonal(const Tensor& matrix, const Tensor& epsilon) const;
};

}  // namespace weft::optim
