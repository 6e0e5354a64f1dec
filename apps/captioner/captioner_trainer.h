// A captioner and what trains it. Nothing here waits for the device unless it says so.  Used by one thread.
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

namespace weft::captioner {

// A bound on what a step of such a run takes, from below, without planning it.
double least_bytes(const CaptionerConfig& config);

// What `compute` records, its products in the precision that the config asks for.
Tensor in_precision(const CaptionerConfig& config, const std::function<Tensor()>& compute);

class CaptionerTrainer {
 public:
  explicit CaptionerTrainer(const CaptionerConfig& config);  // with the initial weights of config.seed
  CaptionerTrainer(const CaptionerTrainer&) = delete;        // the optimizer refers to the model
  CaptionerTrainer& operator=(const CaptionerTrainer&) = delete;

  // Trains on a batch; gives the loss before the update, in nats. `step` counts from 0 and decides dropout.
  Future<double> step(std::int64_t step, const CaptionBatch& batch, double learning_rate);
  // The loss without dropout.
  Future<double> loss(const CaptionBatch& batch);
  // What the model says of pictures [batch, 3, image, image]: the likeliest token at every place, up to the end, end_token
  // included, or to the context. Waits. One program for all places.
  std::vector<std::vector<std::int32_t>> captions(const Tensor& images);

  std::int64_t parameters() { return weft::parameter_count(model_); }  // numbers in the model

  // The model's and the optimizer's state now, as the parts of a checkpoint.
  std::map<std::string, StateDict> state();
  // Throws Error naming what does not fit, and then changes nothing.
  void load(const train::Checkpoint& checkpoint);

 private:
  Tensor loss_of(const CaptionBatch& batch) const;

  CaptionerConfig config_;
  data::PaddingPolicy padding_;
  Captioner model_;
  optim::AdamW optimizer_;
  // Compiled.
  std::function<Tensor(const CaptionBatch&)> update_, loss_;
  std::function<Tensor(const Tensor& images)> encode_;
  std::function<Tensor(const Tensor& memory, const Tensor& tokens, const Tensor& at)> next_token_;
};

}  // namespace weft::captioner
