#include <weft/cli/device_option.h>

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/runtime/devices.h>

namespace weft::cli {

namespace {

void choose(const std::string& name) {
  // weft profile and the command that it runs may both choose.
  static std::unique_ptr<knobs::Override<knobs::Text>> chosen;
  try {
    (void)runtime::parse_device(name);
  } catch (const Error& wrong) {
    throw CLI::ValidationError(concat("--", wrong.what()));
  }
  runtime::require_device(name);
  chosen = nullptr;
  chosen = std::make_unique<knobs::Override<knobs::Text>>(knobs::device, name);
}

}  // namespace

void add_device(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--device", choose,
          "Where programs run: cpu, cuda (the first NVIDIA GPU), or cuda:N; default: what WEFT_DEVICE names")
      ->type_name("NAME");
}

}  // namespace weft::cli
