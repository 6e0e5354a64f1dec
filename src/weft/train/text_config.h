// What decides the numbers of a run that trains a language model on text, except the text: a resumed run must agree in all of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/train/settings.h>

namespace weft::train {

struct TextConfig {
  std::int64_t layers = 6, width = 384, heads = 6, context = 256;
  bool tied = false;
  double dropout = 0;
  std::int64_t batch = 16;
  double lr = 1e-3;
  std::int64_t warmup = 100, decay_steps = 2000;
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, weight_decay = 0.1, clip = 1;
  std::string dtype = "f32";
  std::int64_t seed = 0;

  // The one list of the fields: settings, flags and comparisons are derived from it.
  static void fields(auto& self, auto&& field) {
    field("layers", self.layers, "transformer blocks");
    field("width", self.width, "size of a token's vector");
    field("heads", self.heads, "attention heads; they divide the width");
    field("context", self.context, "tokens that the model sees");
    field("tied", self.tied, "use the embedding as the output layer too");
    field("dropout", self.dropout, "share of activations dropped in training");
    field("batch", self.batch, "sequences in a step");
    field("lr", self.lr, "peak of the learning rate");
    field("warmup", self.warmup, "steps in which the learning rate rises to its peak");
    field("decay_steps", self.decay_steps, "step at which the cosine has fallen to a tenth of the peak");
    field("beta1", self.beta1, "AdamW's decay of the mean");
    field("beta2", self.beta2, "AdamW's decay of the mean square");
    field("eps", self.eps, "AdamW's epsilon");
    field("weight_decay", self.weight_decay, "decay of matrices, times the learning rate");
    field("clip", self.clip, "largest norm of all gradients together; 0: no limit");
    field("dtype", self.dtype, "f32, f64, or bf16: mixed precision, weights and optimizer stay f32");
    field("seed", self.seed, "of weights, batches and dropout");
  }

  // Throws Error, led by the field's name, for values that make no model.
  void check() const;
  double learning_rate(std::int64_t step) const;  // warm-up, then a cosine to a tenth, then constant
};

// A named starting point: the config and how many steps to train.
struct TextPreset {
  std::string_view name;
  TextConfig config;
  std::int64_t steps;
};
const std::vector<TextPreset>& text_presets();  // default, tiny, small, gpt2

Settings to_settings(const TextConfig& config);
// Throws Error for a setting that is missing, of another type, or not a field.
TextConfig text_config_from(const Settings& settings);

}  // namespace weft::train
