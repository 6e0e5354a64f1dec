// The settings that, together with the text, determine the results of a training run of a language model; a resumed run must have
// the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weft/train/recipe.h>

namespace weft::text {

struct TextConfig : train::Recipe {
  std::int64_t layers = 6, width = 384, heads = 6, context = 256;
  bool tied = false;
  double dropout = 0;
  std::string dtype = "f32";

  // The only list of the fields; settings, flags and comparisons are derived from it.
  static void fields(auto& self, auto&& field) {
    field("layers", self.layers, "transformer blocks");
    field("width", self.width, "size of the vector of a token");
    field("heads", self.heads, "attention heads; must divide the width");
    field("context", self.context, "number of tokens in the model's context");
    field("tied", self.tied, "also use the embedding as the output layer");
    field("dropout", self.dropout, "fraction of activations dropped in training");
    train::Recipe::fields(self, field);
    field("dtype", self.dtype, "f32, f64, or bf16: mixed precision, weights and optimizer stay f32");
  }

  // Throws Error, which starts with the field's name, for invalid values.
  void check() const;
};

// A named starting point: the config and the number of steps.
struct TextPreset {
  std::string_view name;
  TextConfig config;
  std::int64_t steps;
};
const std::vector<TextPreset>& text_presets();  // default, tiny, small, gpt2

}  // namespace weft::text
