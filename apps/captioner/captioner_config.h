// The settings that determine the results of a training run of a captioner; a resumed run must have the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <apps/captioner/captioner.h>
#include <weft/data/padding_policy.h>
#include <weft/train/recipe.h>

namespace weft::captioner {

struct CaptionerConfig : train::Recipe {
  std::string data = "shapes";
  CaptionerSizes sizes;
  std::string padding = "fixed";
  std::string dtype = "f32";

  // The only list of the fields; settings, flags and comparisons are derived from it.
  static void fields(auto& self, auto&& field) {
    field("data", self.data, "shapes: pictures of coloured shapes; random: noise with captions of random words");
    field("encoder_layers", self.sizes.encoder_layers, "blocks of the encoder");
    field("decoder_layers", self.sizes.decoder_layers, "blocks of the decoder");
    field("width", self.sizes.width, "size of the vectors of positions and tokens");
    field("heads", self.sizes.heads, "attention heads; must divide the width");
    field("image", self.sizes.image, "width and height of a picture in pixels");
    field("patch", self.sizes.patch, "width and height of a patch in pixels; must divide the image");
    field("vocabulary", self.sizes.vocabulary, "number of tokens");
    field("context", self.sizes.context, "length of the longest caption, including its end token");
    field("dropout", self.sizes.dropout, "fraction of embeddings and residuals dropped in training");
    field("padding", self.padding,
          "padding of captions: fixed (to the context), longest, multiple:N or buckets:N,N,...");
    train::Recipe::fields(self, field);
    field("dtype", self.dtype, "f32, or bf16: products in bf16, weights and optimizer stay f32");
  }

  // Throws Error, which starts with the field's name, for invalid values.
  void check() const;
};

// Parses `padding`. Throws Error if it is invalid.
data::PaddingPolicy padding_policy(std::string_view padding, std::int64_t context);

// A named starting point for each kind of data: the config and the number of steps.
struct CaptionerPreset {
  std::string_view size, data;
  CaptionerConfig config;
  std::int64_t steps;
};
const std::vector<CaptionerPreset>& captioner_presets();  // small and full, for shapes and random data
const CaptionerPreset* captioner_preset(std::string_view size, std::string_view data);  // null if there is none

}  // namespace weft::captioner
