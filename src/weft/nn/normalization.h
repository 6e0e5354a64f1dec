// Normalisations over channels of x [batch, channels, ...], with PyTorch's names and semantics. LayerNorm and RMSNorm
// are in layers.h.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/activation.h>
#include <weft/tensor/module.h>
#include <weft/tensor/scalar.h>

namespace weft::nn {

// Normalises each channel. During training it uses the statistics of the batch and averages them into the running
// statistics; in evaluation it uses the running statistics (set_training). The running statistics are part of the state
// dict, but optimizers do not update them.
//
// A call during training gives running_mean, running_var and num_batches_tracked new values, which belong to the same
// recording as the result; like updated parameters, they are computed by the next sync.
class BatchNorm : public Layer {
 public:
  explicit BatchNorm(std::int64_t channels, double epsilon = 1e-5, double momentum = 0.1, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
    field("running_mean", running_mean);
    field("running_var", running_var);
    field("num_batches_tracked", num_batches_tracked);
  }

  Parameter weight, bias;
  mutable Parameter running_mean, running_var, num_batches_tracked;
  double epsilon, momentum;  // momentum: the weight of the batch in the new running statistics
  Flag training{true, "training"};
};

// Normalises each group of channels of each sample.
class GroupNorm : public Layer {
 public:
  GroupNorm(std::int64_t groups, std::int64_t channels, double epsilon = 1e-5, DType dtype = DType::f32);
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }

  Parameter weight, bias;
  std::int64_t groups;
  double epsilon;
};

// Divides by a power of the mean square of neighbouring channels. It has no parameters.
class LocalResponseNorm : public Layer {
 public:
  explicit LocalResponseNorm(std::int64_t of, const LocalResponseNormOptions& with = {}) : size(of), options(with) {}
  Tensor operator()(const Operand& x) const {
    const Scope scope = enter();
    return local_response_norm(x, size, options);
  }
  void fields(auto&&) {}

  std::int64_t size;
  LocalResponseNormOptions options;
};

struct InstanceNormOptions {
  double epsilon = 1e-5;
  bool affine = false;               // whether there are a weight and a bias
  bool track_running_stats = false;  // whether evaluation uses running statistics, as BatchNorm does
  double momentum = 0.1;             // the weight of a batch in the new running statistics
  DType dtype = DType::f32;
};
// Normalises each channel of each sample of x [batch, channels, spatial...], in one to three spatial dimensions. The running statistics are
// the means of those of the samples. As in PyTorch, num_batches_tracked stays 0.
class InstanceNorm : public Layer {
 public:
  explicit InstanceNorm(std::int64_t channels, const InstanceNormOptions& options = {});
  Tensor operator()(const Operand& x) const;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
    field("running_mean", running_mean);
    field("running_var", running_var);
    field("num_batches_tracked", num_batches_tracked);
  }

  std::optional<Parameter> weight, bias;
  mutable std::optional<Parameter> running_mean, running_var, num_batches_tracked;
  std::int64_t channels;
  double epsilon, momentum;
  Flag training{true, "training"};

 private:
  void track(const Tensor& x) const;
};

}  // namespace weft::nn
