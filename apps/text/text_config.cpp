#include <apps/text/text_config.h>

#include <utility>

#include <weft/base/error.h>

namespace weft::text {

void TextConfig::check() const {
  for (const auto& [name, size] :
       {std::pair{"layers", layers}, {"width", width}, {"heads", heads}, {"context", context}})
    train::check_size(name, size);
  require(width % heads == 0, "heads must divide the width, got ", heads, " heads and width ", width);
  require(dropout >= 0 && dropout < 1, "dropout must be at least 0 and less than 1, got ", dropout);
  train::Recipe::check();
  require(dtype == "f32" || dtype == "f64" || dtype == "bf16", "dtype must be f32, f64 or bf16, got ", dtype);
}

const std::vector<TextPreset>& text_presets() {
  static const std::vector<TextPreset> presets = [] {
    TextConfig tiny, small, gpt2;
    tiny.layers = 1, tiny.width = 16, tiny.heads = 2, tiny.context = 16, tiny.batch = 2;
    tiny.warmup = 2, tiny.decay_steps = 20;
    small.layers = 4, small.width = 128, small.heads = 4, small.context = 64, small.batch = 16;
    small.lr = 3e-3, small.warmup = 50, small.decay_steps = 2000;
    gpt2.layers = 12, gpt2.width = 768, gpt2.heads = 12, gpt2.context = 1024, gpt2.batch = 4;
    gpt2.lr = 6e-4, gpt2.warmup = 200;
    return std::vector<TextPreset>{
        {"default", {}, 2000}, {"tiny", tiny, 20}, {"small", small, 2000}, {"gpt2", gpt2, 2000}};
  }();
  return presets;
}

}  // namespace weft::text
