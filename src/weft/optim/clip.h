// Gradient clipping.
#pragma once

#include <source_location>
#include <span>
#include <vector>

#include <weft/tensor/operand.h>

namespace weft::optim {

struct Clipped {
  std::vector<Tensor> gradients;
  Tensor norm;  // before clipping
  void fields(auto&& field) {
    field("gradients", gradients);
    field("norm", norm);
  }
};

// Scales all gradients by one factor, min(1, max_norm / (norm + 1e-6)), where norm is the Euclidean norm of all
// gradients together (PyTorch's clip_grad_norm_). Norms are computed in f32 or wider.
Clipped clip_grad_norm(std::span<const Tensor> gradients, const Operand& max_norm);

// Clamps every element of every gradient to [-limit, limit] (PyTorch's clip_grad_value_).
std::vector<Tensor> clip_grad_value(std::span<const Tensor> gradients, const Operand& limit);

}  // namespace weft::optim
