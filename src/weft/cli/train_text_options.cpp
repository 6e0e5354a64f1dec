#include <weft/cli/train_text_options.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>

namespace weft::cli {

namespace {

std::string flag_name(std::string field) {
  std::ranges::replace(field, '_', '-');
  return "--" + field;
}

const train::TextPreset& preset_named(const std::string& name) {
  const auto& presets = train::text_presets();
  const auto found = std::ranges::find(presets, name.empty() ? "default" : name, &train::TextPreset::name);
  return *found;  // the option accepts no other name
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const train::TextPreset& preset : train::text_presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace

TrainTextParser::TrainTextParser(CLI::App& command, TrainTextOptions& options) : command_(command), options_(options) {
  command.add_option("--file", options.file, "the text: any file, read as bytes");
  command.add_option("--config", options.preset, "where the flags below start from")
      ->check(CLI::IsMember(preset_names()));
  declare_config();
  command.add_option("--steps", options.steps, "training steps")->check(CLI::PositiveNumber);
  command.add_option("--minutes", options.minutes, "stop after so many minutes")->check(CLI::PositiveNumber);
  command.add_option("--threads", options.threads, "threads of kernels")->check(CLI::PositiveNumber);
  command.add_option("--save", options.save, "folder of the checkpoint; also saved on Ctrl-C");
  command.add_option("--resume", options.resume,
                     "go on from the checkpoint in this folder, and save there unless --save");
  command.add_option("--save-every", options.save_every, "steps between saves")->check(CLI::PositiveNumber);
  command.add_option("--val-every", options.val_every, "steps between validations")->check(CLI::PositiveNumber);
  command.add_option("--log-every", options.log_every, "steps between lines where no bar is drawn")
      ->check(CLI::PositiveNumber);
  command.add_option("--sample", options.sample, "bytes to generate at the end")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--prompt", options.prompt, "what the sample goes on from");
  command.add_option("--temperature", options.temperature, "of the sample; 0: the likeliest byte")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--top-k", options.top_k, "sample among the likeliest bytes; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--json", options.json, "print one JSON object on the standard output, and nothing else");
  command.add_option("--job", options.job, "run a benchmark job folder instead of a text");
  command.add_option("--write-job", options.write_job, "write the run as a benchmark job folder, and end");
}

void TrainTextParser::declare_config() {
  train::TextConfig::fields(flags_, [&](const char* name, auto& value, const char* help) {
    const std::string flag = flag_name(name);
    CLI::Option* option;
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, bool>) {
      option = command_.add_flag(flag, value, help);
    } else {
      option = command_.add_option(flag, value, help);
    }
    option->group("Model and training");
  });
}

void TrainTextParser::resolve() {
  const auto wrong = [](const std::string& message) { throw CLI::ValidationError(message); };
  train::Settings flags = train::to_settings(flags_);
  std::erase_if(flags, [&](const auto& flag) { return command_.count(flag_name(flag.first)) == 0; });
  const bool steps_given = options_.steps > 0;

  if (!options_.job.empty()) {
    for (const char* other : {"--file", "--save", "--resume", "--write-job", "--config"})
      if (command_.count(other) > 0) wrong(concat("--job does not go together with ", other));
    if (!flags.empty()) wrong(concat("--job does not go together with ", flag_name(flags.begin()->first)));
    return;
  }
  if (options_.file.empty()) wrong("--file is required");

  const train::TextPreset& preset = preset_named(options_.preset);
  if (!steps_given) options_.steps = preset.steps;
  train::Settings settings = train::to_settings(preset.config);
  // A run of other than the preset's steps rises and falls within them.
  settings["decay_steps"] = options_.steps;
  settings["warmup"] = std::min(preset.config.warmup, std::max<std::int64_t>(1, options_.steps / 10));
  if (!options_.preset.empty()) {
    options_.given = settings;
    options_.given.erase("decay_steps");
    options_.given.erase("warmup");
  }
  for (const auto& [name, value] : flags) options_.given[name] = settings[name] = value;
  try {
    options_.config = train::text_config_from(settings);
  } catch (const Error& error) {
    wrong(error.what());
  }
}

}  // namespace weft::cli
