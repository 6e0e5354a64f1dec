// A captioner and its trainer. Functions do not wait for the device unless their comments say so. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <apps/captioner/captioner.h>
#include <apps/captioner/captioner_config.h>
#include <apps/captioner/captions.h>
#include <weft/optim/adam.h>
#include <weft/tensor/tensor.h>
#include <weft/train/checkpoint.h>
#include <weft/train/parallelism.h>

namespace weft::captioner {

// Returns a lower bound on the bytes that a step of such a run needs, without planning it.
double least_bytes(const CaptionerConfig& config);

// Returns the result of `compute`, recorded with products in the precision of the config.
Tensor in_precision(const CaptionerConfig& config, const std::function<Tensor()>& compute);

class CaptionerTrainer {
 public:
  // Makes a model with the initial weights of config.seed. Throws Error, which starts with the setting, if the batch or a
  // weight does not divide.
  explicit CaptionerTrainer(const CaptionerConfig& config, const train::Parallelism& parallelism = {});
  CaptionerTrainer(const CaptionerTrainer&) = delete;  // deleted because the optimizer refers to the model
  CaptionerTrainer& operator=(const CaptionerTrainer&) = delete;

  // Trains on a batch; returns the loss before the update, in nats. `step` counts from 0 and determines the dropout.
  Future<double> step(std::int64_t step, const CaptionBatch& batch, double learning_rate);
  // Returns the loss without dropout.
  Future<double> loss(const CaptionBatch& batch);
  // Returns the captions of pictures [batch, 3, image, image]: the most likely token at every position, up to and including
  // end_token, or up to the context. Blocks until the device is done. One program serves all positions.
  std::vector<std::vector<std::int32_t>> captions(const Tensor& images);

  // Returns how the training step is divided among the devices, after the first step.
  std::string division() const { return division_(); }

  std::int64_t parameters() { return weft::parameter_count(model_); }  // number of elements in the model

  // Returns the current state of the model and the optimizer as the parts of a checkpoint.
  std::map<std::string, StateDict> state();
  // Throws Error, which names what does not fit; then nothing changes.
  void load(const train::Checkpoint& checkpoint);

 private:
  Tensor loss_of(const CaptionBatch& batch) const;

  CaptionBatch divided(const CaptionBatch& batch) const;  // and marks its lengths

  CaptionerConfig config_;
  train::Parallelism parallelism_;
  data::PaddingPolicy padding_;
  Captioner model_;
  optim::AdamW optimizer_;
  // Compiled functions.
  std::function<Tensor(const CaptionBatch&)> update_, loss_;
  std::function<std::string()> division_;
  std::function<Tensor(const Tensor& images)> encode_;
  std::function<Tensor(const Tensor& memory, const Tensor& tokens, const Tensor& at)> next_token_;
};

}  // namespace weft::captioner
