#include <weft/cli/train_captioner_options.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/config_flags.h>
#include <weft/cli/options.h>

namespace weft::cli {

namespace {

const train::CaptionerPreset& preset_of(std::string_view size, std::string_view data) {
  const auto& presets = train::captioner_presets();
  const auto found = std::ranges::find_if(presets, [&](const auto& p) { return p.size == size && p.data == data; });
  if (found == presets.end()) throw CLI::ValidationError(concat("--data must be shapes or random, got ", data));
  return *found;  // --size accepts no other
}

}  // namespace

TrainCaptionerParser::TrainCaptionerParser(CLI::App& command, TrainCaptionerOptions& options)
    : command_(command), options_(options) {
  command.footer(describe_presets("What --size and --data set:", train::captioner_presets(),
                                  [](const auto& preset) { return concat(preset.size, ", ", preset.data); }));
  command.add_option("--size", options.size, "where the flags below start from; small if not given")
      ->check(CLI::IsMember({"small", "full"}))
      ->type_name("NAME");
  declare_fields(command, flags_);
  declare_train_options(command, options);
  add_integer(command, "--workers", options.workers, "threads that make batches; 0: none, they are made in between",
              {0, 256});
  add_integer(command, "--pictures", options.pictures,
              "held-out pictures to caption at the end; 0: none; 512 if not given", {0, 1'000'000});
  add_integer(command, "--examples", options.examples, "of these, on the sheet; 48 if not given", {1, 1000});
  add_text(command, "--sheet", options.sheet, "a file",
           "the sheet's name, without .png and .html; captions if not given");
}

void TrainCaptionerParser::resolve() {
  const train::Settings flags = given_fields(command_, flags_);
  const train::CaptionerPreset& preset = preset_of(options_.size.empty() ? "small" : options_.size, flags_.data);
  if (options_.steps == 0 && options_.resume.empty()) options_.steps = preset.steps;
  train::Settings settings = train::settings_of(preset.config);
  if (options_.steps > 0) fit_schedule(settings, options_.steps);
  if (!options_.size.empty()) {
    options_.given = settings;
    options_.given.erase("decay_steps");
    options_.given.erase("warmup");
  }
  for (const auto& [name, value] : flags) options_.given[name] = settings[name] = value;
  try {
    options_.config = train::config_of<train::CaptionerConfig>(settings);
  } catch (const Error& error) {
    throw CLI::ValidationError(led_by_flag(error.what()));
  }
}

}  // namespace weft::cli
