#include <weft/cli/train_captioner_options.h>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/config_flags.h>
#include <weft/cli/options.h>

namespace weft::cli {

namespace {

const captioner::CaptionerPreset& preset_of(std::string_view size, std::string_view data) {
  const captioner::CaptionerPreset* const preset = captioner::captioner_preset(size, data);
  if (preset == nullptr) throw CLI::ValidationError(concat("--data must be shapes or random, got ", data));
  return *preset;  // exists, because --size accepts only names of presets
}

}  // namespace

TrainCaptionerParser::TrainCaptionerParser(CLI::App& command, TrainCaptionerOptions& options)
    : command_(command), options_(options) {
  command.footer(describe_presets("What --size and --data set:", captioner::captioner_presets(),
                                  [](const auto& preset) { return concat(preset.size, ", ", preset.data); }));
  command.add_option("--size", options.size, "preset for the flags below; default: small")
      ->check(CLI::IsMember({"small", "full"}))
      ->type_name("NAME");
  declare_fields(command, flags_);
  declare_train_options(command, options);
  add_integer(command, "--workers", options.workers, "threads that load batches; 0: batches are loaded between steps",
              {0, 256});
  add_integer(command, "--pictures", options.pictures, "held-out pictures to caption at the end; 0: none; default: 512",
              {0, 1'000'000});
  add_integer(command, "--examples", options.examples, "number of these on the sheet; default: 48", {1, 1000});
  add_text(command, "--sheet", options.sheet, "a file", "the sheet's name, without .png and .html; default: captions");
}

void TrainCaptionerParser::resolve() {
  const captioner::CaptionerPreset& preset = preset_of(options_.size.empty() ? "small" : options_.size, flags_.data);
  options_.config = resolve_config(options_, preset, !options_.size.empty(), given_fields(command_, flags_));
  resolve_parallelism(options_, options_.config.batch);
}

}  // namespace weft::cli
