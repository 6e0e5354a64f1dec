// weft opt: reads StableHLO modules, runs passes on them, prints them.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/cli/command_line.h>
#include <weft/ir/text/text.h>

namespace weft::cli {

namespace {

struct OptOptions {
  std::string file;
  ir::PrintOptions print;
};

std::string read_all(std::istream& in, const std::string& name) {
  std::string text{std::istreambuf_iterator<char>(in), {}};
  require(!in.bad(), name, ": cannot be read");
  return text;
}

std::string read_input(const std::string& file) {
  if (file == "-") return read_all(std::cin, "the standard input");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  require(in.is_open(), file, ": ", std::strerror(errno));
  return read_all(in, file);
}

void run_opt(const OptOptions& options) {
  const std::string text = read_input(options.file);
  bool is_first = true;
  for (const ir::Section& section : ir::split_sections(text)) {
    ir::Module module;
    try {
      module = ir::parse_module(section.text, {}, section.first_line);
    } catch (const Error& wrong) {
      fail(options.file, ':', wrong.what());
    }
    if (!is_first) std::cout << "\n// -----\n\n";
    is_first = false;
    std::cout << ir::print(module, options.print);
  }
}

}  // namespace

void add_opt(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("opt", "Read StableHLO modules, run passes on them, print them");
  const auto options = std::make_shared<OptOptions>();
  command
      .add_option("FILE", options->file,
                  "StableHLO text, modules separated by lines `// -----`; - for the standard input")
      ->required();
  command.add_flag("--locations", options->print.locations, "Print where each operation comes from");
  command.callback([options] { run_opt(*options); });
}

}  // namespace weft::cli
