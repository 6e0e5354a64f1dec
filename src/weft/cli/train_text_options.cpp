#include <weft/cli/train_text_options.h>

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/config_flags.h>
#include <weft/cli/options.h>

namespace weft::cli {

namespace {

const text::TextPreset& preset_named(const std::string& name) {
  const auto& presets = text::text_presets();
  const auto found = std::ranges::find(presets, name.empty() ? "default" : name, &text::TextPreset::name);
  return *found;  // exists, because the option accepts only names of presets
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const text::TextPreset& preset : text::text_presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace

TrainTextParser::TrainTextParser(CLI::App& command, TrainTextOptions& options) : command_(command), options_(options) {
  command.footer(
      describe_presets("What --config sets:", text::text_presets(), [](const auto& preset) { return preset.name; }));
  constexpr IntegerRange natural{0};
  add_text(command, "--file", options.file, "a file", "the text to train on: any file, read as bytes");
  command.add_option("--config", options.preset, "preset for the flags below")->check(CLI::IsMember(preset_names()));
  declare_fields(command, flags_);
  declare_train_options(command, options);
  add_integer(command, "--sample", options.sample, "bytes to generate at the end", natural);
  command.add_option("--prompt", options.prompt, "text that the sample continues");
  add_real(command, "--temperature", options.temperature,
           "temperature of the sample; 0: the most likely byte; default: 0.8", RealRange::not_negative);
  add_integer(command, "--top-k", options.top_k, "sample among this many most likely bytes; 0: all; default: 40",
              natural);
  add_text(command, "--job", options.job, "a folder", "run a benchmark job folder instead of a text");
  add_text(command, "--write-job", options.write_job, "a folder", "write the run as a benchmark job folder, and exit");
}

void TrainTextParser::resolve() {
  const auto wrong = [](const std::string& message) { throw CLI::ValidationError(message); };
  const train::Settings flags = given_fields(command_, flags_);

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

  options_.config = resolve_config(options_, preset_named(options_.preset), !options_.preset.empty(), flags);
  resolve_parallelism(options_, options_.config.batch);
}

}  // namespace weft::cli
