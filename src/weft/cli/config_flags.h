// Declares a flag for every field of a run's config (train/config_settings.h), such as --weight-decay for weight_decay.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/options.h>
#include <weft/cli/train_options.h>
#include <weft/train/config_settings.h>

namespace weft::cli {

std::string flag_name(std::string field);
// Returns a message that starts with a field's name, with the flag instead of the name.
std::string led_by_flag(const std::string& message);

// Returns the default of a field as the help shows it: how it depends on --steps, or the given value.
std::string default_text(std::string_view field, std::string value);

// Declares the flags and parses their values into `flags`, whose initial values the help shows as defaults.
template <class Config>
void declare_fields(CLI::App& command, Config& flags) {
  Config::fields(flags, [&](const char* name, auto& value, const char* help) {
    const std::string flag = flag_name(name);
    using Value = std::remove_reference_t<decltype(value)>;
    CLI::Option* option;
    if constexpr (std::is_same_v<Value, bool>) {
      option = command.add_flag(flag, value, help);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      option = add_text(command, flag, value, "one", help);
    } else if constexpr (std::is_same_v<Value, double>) {
      option = add_real(command, flag, value, help);
    } else {
      option = add_integer(command, flag, value, help);
    }
    if constexpr (!std::is_same_v<Value, bool>) option->default_str(default_text(name, concat(value)));
    option->group("Model and training");
  });
}

// Returns the fields that the command line set. Call after parsing.
template <class Config>
train::Settings given_fields(const CLI::App& command, const Config& flags) {
  train::Settings given = train::settings_of(flags);
  std::erase_if(given, [&](const auto& field) { return command.count(flag_name(field.first)) == 0; });
  return given;
}

// Returns the config of a new run: that of a preset, overridden by flags. Sets the number of steps, if it is not given,
// and the settings that a resumed run must agree with: the flags, and an explicitly requested preset. Throws
// CLI::ValidationError for invalid values.
template <class Preset>
auto resolve_config(TrainOptions& options, const Preset& preset, bool asked_for, const train::Settings& flags) {
  if (options.steps == 0 && options.resume.empty()) options.steps = preset.steps;
  auto config = preset.config;
  if (options.steps > 0) config.fit_schedule(options.steps);
  train::Settings settings = train::settings_of(config);
  if (asked_for) {
    options.given = settings;
    for (const auto& fitted : config.schedule) options.given.erase(std::string(fitted.field));
  }
  for (const auto& [name, value] : flags) options.given[name] = settings[name] = value;
  try {
    return train::config_of<decltype(config)>(settings);
  } catch (const Error& error) {
    throw CLI::ValidationError(led_by_flag(error.what()));
  }
}

// Describes the presets as flags: all fields in which at least two differ. A preset has a config and a number of steps.
template <class Preset>
std::string describe_presets(const std::string& heading, const std::vector<Preset>& presets, auto&& name) {
  std::string text = heading;
  for (const Preset& preset : presets) {
    text += concat("\n  ", name(preset), ": --steps ", preset.steps);
    for (const auto& [field, value] : train::settings_of(preset.config)) {
      const auto differs = [&](const Preset& other) { return train::settings_of(other.config)[field] != value; };
      if (field != "decay_steps" && std::ranges::any_of(presets, differs))
        text += concat(' ', flag_name(field), ' ', train::to_string(value));
    }
  }
  return text;
}

}  // namespace weft::cli
