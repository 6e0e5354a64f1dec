#include <weft/cli/train_text_options.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/options.h>

namespace weft::cli {

namespace {

std::string flag_name(std::string field) {
  std::ranges::replace(field, '_', '-');
  return "--" + field;
}

// A message that a config's field leads, led by the field's flag instead.
std::string led_by_flag(const std::string& message) {
  const std::size_t end = message.find(' ');
  return flag_name(message.substr(0, end)) + message.substr(end);
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

// What the presets set, as flags: all fields in which two of them differ.
std::string describe_presets() {
  const auto& presets = train::text_presets();
  std::string text = "What --config sets:";
  for (const train::TextPreset& preset : presets) {
    text += concat("\n  ", preset.name, ": --steps ", preset.steps);
    for (const auto& [name, value] : train::to_settings(preset.config)) {
      const auto differs = [&](const train::TextPreset& other) {
        return train::to_settings(other.config)[name] != value;
      };
      if (name != "decay_steps" && std::ranges::any_of(presets, differs))
        text += concat(' ', flag_name(name), ' ', train::to_string(value));
    }
  }
  return text;
}

}  // namespace

TrainTextParser::TrainTextParser(CLI::App& command, TrainTextOptions& options) : command_(command), options_(options) {
  command.footer(describe_presets());
  constexpr IntegerRange positive{1}, natural{0}, thread_counts{1, 4096};
  add_text(command, "--file", options.file, "a file", "the text: any file, read as bytes");
  command.add_option("--config", options.preset, "where the flags below start from")
      ->check(CLI::IsMember(preset_names()));
  declare_config();
  add_integer(command, "--steps", options.steps, "training steps, those before a resume included", positive);
  add_real(command, "--minutes", options.minutes, "stop after so many minutes", RealRange::positive);
  add_integer(command, "--threads", options.threads, "threads of kernels", thread_counts);
  add_text(command, "--save", options.save, "a folder", "folder of the checkpoint; also saved on Ctrl-C");
  add_text(command, "--resume", options.resume, "a folder",
           "go on from the checkpoint in this folder, and save there unless --save");
  add_integer(command, "--save-every", options.save_every, "steps between saves", positive);
  add_integer(command, "--val-every", options.val_every, "steps between validations", positive);
  add_integer(command, "--log-every", options.log_every, "steps between lines where no bar is drawn", positive);
  add_integer(command, "--sample", options.sample, "bytes to generate at the end", natural);
  command.add_option("--prompt", options.prompt, "what the sample goes on from");
  add_real(command, "--temperature", options.temperature, "of the sample; 0: the likeliest byte; 0.8 if not given",
           RealRange::not_negative);
  add_integer(command, "--top-k", options.top_k, "sample among the likeliest bytes; 0: all; 40 if not given", natural);
  command.add_flag("--json", options.json, "print one JSON object on the standard output, and nothing else");
  add_text(command, "--job", options.job, "a folder", "run a benchmark job folder instead of a text");
  add_text(command, "--write-job", options.write_job, "a folder", "write the run as a benchmark job folder, and end");
}

void TrainTextParser::declare_config() {
  train::TextConfig::fields(flags_, [&](const char* name, auto& value, const char* help) {
    const std::string flag = flag_name(name);
    using Value = std::remove_reference_t<decltype(value)>;
    CLI::Option* option;
    if constexpr (std::is_same_v<Value, bool>) {
      option = command_.add_flag(flag, value, help);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      option = add_text(command_, flag, value, "one", help);
    } else if constexpr (std::is_same_v<Value, double>) {
      option = add_real(command_, flag, value, help);
    } else {
      option = add_integer(command_, flag, value, help);
    }
    if constexpr (!std::is_same_v<Value, bool>) option->default_str(concat(value));  // shown in the help
    option->group("Model and training");
  });
}

void TrainTextParser::resolve() {
  const auto wrong = [](const std::string& message) { throw CLI::ValidationError(message); };
  train::Settings flags = train::to_settings(flags_);
  std::erase_if(flags, [&](const auto& flag) { return command_.count(flag_name(flag.first)) == 0; });

  if (!options_.job.empty()) {
    for (const char* other : {"--file", "--save", "--resume", "--write-job", "--config"})
      if (command_.count(other) > 0) wrong(concat("--job does not go together with ", other));
    if (!flags.empty()) wrong(concat("--job does not go together with ", flag_name(flags.begin()->first)));
    return;
  }
  if (!options_.write_job.empty()) {
    for (const char* other : {"--save", "--resume"})
      if (command_.count(other) > 0) wrong(concat("--write-job does not go together with ", other));
  }
  if (options_.file.empty()) wrong("--file is required: the text to train on");

  const train::TextPreset& preset = preset_named(options_.preset);
  if (options_.steps == 0 && options_.resume.empty()) options_.steps = preset.steps;
  train::Settings settings = train::to_settings(preset.config);
  if (options_.steps > 0) {  // a run of other than the preset's steps rises and falls within them
    settings["decay_steps"] = options_.steps;
    settings["warmup"] = std::min(preset.config.warmup, std::max<std::int64_t>(1, options_.steps / 10));
  }
  if (!options_.preset.empty()) {
    options_.given = settings;
    options_.given.erase("decay_steps");
    options_.given.erase("warmup");
  }
  for (const auto& [name, value] : flags) options_.given[name] = settings[name] = value;
  try {
    options_.config = train::text_config_from(settings);
  } catch (const Error& error) {
    wrong(led_by_flag(error.what()));
  }
}

}  // namespace weft::cli
