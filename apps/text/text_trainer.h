// A language model on text and its trainer. Functions do not wait for the device unless their comments say so. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <apps/text/gpt.h>
#include <apps/text/text_config.h>
#include <weft/data/safetensors.h>
#include <weft/optim/adam.h>
#include <weft/tensor/tensor.h>
#include <weft/train/checkpoint.h>
#include <weft/train/parallelism.h>

namespace weft::text {

GptConfig gpt_config(const TextConfig& config);
// Returns a lower bound on the bytes that a step of such a run needs, without planning it: the weights, their gradients and
// moments, and the residual stream. A double, so that it holds the bound even for configs whose size exceeds an integer.
double least_bytes(const TextConfig& config);

class TextTrainer {
 public:
  // Makes a model with the initial weights of config.seed. Throws Error, which starts with the setting, if the batch or a
  // weight does not divide.
  explicit TextTrainer(const TextConfig& config, const train::Parallelism& parallelism = {});
  TextTrainer(const TextTrainer&) = delete;  // deleted because the optimizer refers to the model
  TextTrainer& operator=(const TextTrainer&) = delete;

  // Trains on `tokens` ([batch, context + 1]); returns the loss before the update, in nats. `step` counts from 0 and determines
  // the dropout.
  Future<double> step(std::int64_t step, std::span<const std::int32_t> tokens, double learning_rate);
  // Returns the loss of windows ([rows, context + 1]) without dropout.
  Future<double> loss(std::span<const std::int32_t> tokens);
  // Returns the logits of the token after the first `length` of `tokens` ([context]); blocks until they are computed. One program
  // serves all lengths.
  std::vector<float> next_logits(std::span<const std::int32_t> tokens, std::int64_t length);

  // Returns how the training step is divided among the devices, after the first step: "8 devices (data=8): ...".
  std::string division() const { return division_(); }

  std::int64_t parameters() { return weft::parameter_count(model_); }  // number of elements in the model

  StateDict model_state() { return state_dict(model_); }
  // Returns the current state of the model and the optimizer as the parts of a checkpoint.
  std::map<std::string, StateDict> state();
  // Throws Error, which names what does not fit; then nothing changes.
  void load(const train::Checkpoint& checkpoint);
  void load_weights(const data::SafetensorsFile& weights);

 private:
  Tensor windows(std::span<const std::int32_t> tokens) const;

  TextConfig config_;
  train::Parallelism parallelism_;
  Gpt model_;
  optim::AdamW optimizer_;
  // Compiled functions.
  std::function<Tensor(const Tensor& windows)> update_, loss_;
  std::function<Tensor(const Tensor& tokens, const Tensor& last)> next_logits_;
  std::function<std::string()> division_;
};

}  // namespace weft::text
