#include <weft/train/text_config.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <weft/base/error.h>

namespace weft::train {

void TextConfig::check() const {
  constexpr std::int64_t most = std::int64_t{1} << 24;  // products of any two sizes fit into 64 bits with room to spare
  for (const auto& [name, size] :
       {std::pair{"layers", layers}, {"width", width}, {"heads", heads}, {"context", context}, {"batch", batch}}) {
    require(size > 0, name, " must be positive, got ", size);
    require(size <= most, name, " must be at most ", most, ", got ", size);
  }
  require(width % heads == 0, "heads must divide the width, got ", heads, " heads and width ", width);
  require(dropout >= 0 && dropout < 1, "dropout must be at least 0 and less than 1, got ", dropout);
  require(std::isfinite(lr) && lr > 0, "lr must be positive, got ", lr);
  require(warmup >= 0, "warmup must not be negative, got ", warmup);
  require(decay_steps > 0, "decay_steps must be positive, got ", decay_steps);
  require(beta1 >= 0 && beta1 < 1, "beta1 must be at least 0 and less than 1, got ", beta1);
  require(beta2 >= 0 && beta2 < 1, "beta2 must be at least 0 and less than 1, got ", beta2);
  require(std::isfinite(eps) && eps > 0, "eps must be positive, got ", eps);
  require(std::isfinite(weight_decay) && weight_decay >= 0, "weight_decay must not be negative, got ", weight_decay);
  require(std::isfinite(clip) && clip >= 0, "clip must not be negative, got ", clip);
  require(dtype == "f32" || dtype == "f64" || dtype == "bf16", "dtype must be f32, f64 or bf16, got ", dtype);
  require(seed >= 0, "seed must not be negative, got ", seed);
}

double TextConfig::learning_rate(std::int64_t step) const {
  if (step < warmup) return lr * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const auto length = static_cast<double>(std::max<std::int64_t>(1, decay_steps - warmup));
  const double progress = std::min(1.0, static_cast<double>(step - warmup) / length);
  return lr * (0.1 + 0.45 * (1 + std::cos(std::numbers::pi * progress)));
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

Settings to_settings(const TextConfig& config) {
  Settings settings;
  TextConfig::fields(config, [&](const char* name, const auto& value, const char*) { settings[name] = value; });
  return settings;
}

TextConfig text_config_from(const Settings& settings) {
  TextConfig config;
  Settings left = settings;
  TextConfig::fields(config, [&](const char* name, auto& value, const char*) {
    const auto found = left.find(name);
    require(found != left.end(), "the setting ", name, " is missing");
    const auto* held = std::get_if<std::remove_reference_t<decltype(value)>>(&found->second);
    require(held != nullptr, "the setting ", name, " cannot be ", to_string(found->second));
    value = *held;
    left.erase(found);
  });
  require(left.empty(), "the setting ", left.empty() ? "" : left.begin()->first, " is unknown");
  config.check();
  return config;
}

}  // namespace weft::train
