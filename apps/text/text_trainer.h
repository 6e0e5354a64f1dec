// A language model on text and what trains it. Nothing here waits for the device unless it says so.  Used by one thread.
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

namespace weft::text {

GptConfig gpt_config(const TextConfig& config);
// A bound on what a step of such a run takes, from below, without planning it: the weights, their gradients and moments, and the
// residual stream. Larger configs than fit into an integer have one too.
double least_bytes(const TextConfig& config);

class TextTrainer {
 public:
  explicit TextTrainer(const TextConfig& config);  // with the initial weights of config.seed
  TextTrainer(const TextTrainer&) = delete;        // the optimizer refers to the model
  TextTrainer& operator=(const TextTrainer&) = delete;

  // Trains on `tokens` ([batch, context + 1]); gives the loss before the update, in nats. `step` counts from 0 and decides dropout.
  Future<double> step(std::int64_t step, std::span<const std::int32_t> tokens, double learning_rate);
  // The loss of windows ([rows, context + 1]) without dropout.
  Future<double> loss(std::span<const std::int32_t> tokens);
  // The logits of the token after the first `length` of `tokens` ([context]); waits for them. One program for all lengths.
  std::vector<float> next_logits(std::span<const std::int32_t> tokens, std::int64_t length);

  std::int64_t parameters() { return weft::parameter_count(model_); }  // numbers in the model

  StateDict model_state() { return state_dict(model_); }
  // The model's and the optimizer's state now, as the parts of a checkpoint.
  std::map<std::string, StateDict> state();
  // Throws Error naming what does not fit, and then changes nothing.
  void load(const train::Checkpoint& checkpoint);
  void load_weights(const data::SafetensorsFile& weights);

 private:
  Tensor windows(std::span<const std::int32_t> tokens) const;

  TextConfig config_;
  Gpt model_;
  optim::AdamW optimizer_;
  // Compiled.
  std::function<Tensor(const Tensor& windows)> update_, loss_;
  std::function<Tensor(const Tensor& tokens, const Tensor& last)> next_logits_;
};

}  // namespace weft::text
