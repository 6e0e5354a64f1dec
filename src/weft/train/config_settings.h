// Converts the config of a run to settings and back. A config is a struct that lists its fields once:
//   static void fields(auto& self, auto&& field) { field("lr", self.lr, "peak of the learning rate"); ... }
//   void check() const;   // throws Error, which starts with the field's name, for invalid values
#pragma once

#include <type_traits>
#include <variant>

#include <weft/base/error.h>
#include <weft/train/settings.h>

namespace weft::train {

template <class Config>
Settings settings_of(const Config& config) {
  Settings settings;
  Config::fields(config, [&](const char* name, const auto& value, const char*) { settings[name] = value; });
  return settings;
}

// Throws Error for a setting that is missing, has a different type, or is not a field.
template <class Config>
Config config_of(const Settings& settings) {
  Config config;
  Settings left = settings;
  Config::fields(config, [&](const char* name, auto& value, const char*) {
    const auto found = left.find(name);
    require(found != left.end(), "the setting ", name, " is missing");
    const auto* held = std::get_if<std::remove_reference_t<decltype(value)>>(&found->second);
    if (!held) fail("the setting ", name, " cannot be ", to_string(found->second));
    value = *held;
    left.erase(found);
  });
  require(left.empty(), "the setting ", left.empty() ? "" : left.begin()->first, " is unknown");
  config.check();
  return config;
}

}  // namespace weft::train
