#include <apps/text/text_config.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/train/config_settings.h>

namespace weft::text {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(TextConfig, SettingsRoundTrip) {
  for (const TextPreset& preset : text_presets()) {
    const train::Settings settings = train::settings_of(preset.config);
    EXPECT_EQ(settings, train::settings_of(train::config_of<TextConfig>(settings)));
    EXPECT_NO_THROW(preset.config.check()) << preset.name;
  }
}

TEST(TextConfig, SettingsThatAreNoConfig) {
  train::Settings settings = train::settings_of(TextConfig{});
  settings["heads"] = 2.5;
  EXPECT_THAT([&] { train::config_of<TextConfig>(settings); }, ThrowsMessage<Error>(HasSubstr("heads cannot be 2.5")));
  settings.erase("heads");
  EXPECT_THAT([&] { train::config_of<TextConfig>(settings); }, ThrowsMessage<Error>(HasSubstr("heads is missing")));
  settings = train::settings_of(TextConfig{});
  settings["depth"] = true;
  EXPECT_THAT([&] { train::config_of<TextConfig>(settings); }, ThrowsMessage<Error>(HasSubstr("depth is unknown")));
}

TEST(TextConfig, ValuesThatMakeNoModel) {
  const auto message = [](auto change) -> std::string {
    TextConfig config;
    change(config);
    try {
      config.check();
    } catch (const Error& error) {
      return error.what();
    }
    return "fine";
  };
  EXPECT_THAT(message([](auto& c) { c.heads = 5; }),
              HasSubstr("heads must divide the width, got 5 heads and width 384"));
  EXPECT_THAT(message([](auto& c) { c.layers = 0; }), HasSubstr("layers must be positive, got 0"));
  EXPECT_THAT(message([](auto& c) { c.batch = std::int64_t{1} << 40; }), HasSubstr("batch must be at most"));
  EXPECT_THAT(message([](auto& c) { c.dropout = 1; }), HasSubstr("dropout"));
  EXPECT_THAT(message([](auto& c) { c.dtype = "f16"; }), HasSubstr("dtype must be f32, f64 or bf16, got f16"));
  EXPECT_THAT(message([](auto& c) { c.lr = std::numeric_limits<double>::quiet_NaN(); }), HasSubstr("lr"));
}

TEST(TextConfig, LearningRateRisesThenFallsToATenth) {
  TextConfig config;
  config.lr = 1;
  config.warmup = 10;
  config.decay_steps = 110;
  EXPECT_DOUBLE_EQ(config.learning_rate(0), 0.1);
  EXPECT_DOUBLE_EQ(config.learning_rate(9), 1);
  EXPECT_DOUBLE_EQ(config.learning_rate(10), 1);
  EXPECT_DOUBLE_EQ(config.learning_rate(60), 0.55);
  EXPECT_DOUBLE_EQ(config.learning_rate(110), 0.1);
  EXPECT_DOUBLE_EQ(config.learning_rate(100'000), 0.1);
}

}  // namespace
}  // namespace weft::text
