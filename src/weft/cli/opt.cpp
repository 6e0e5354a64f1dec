#include <CLI/CLI.hpp>

#include <weft/cli/command_line.h>

namespace weft::cli {

void add_opt(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("opt", "Read a StableHLO module, run passes on it, print it");
  static_cast<void>(command);
}

}  // namespace weft::cli
