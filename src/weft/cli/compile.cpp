// weft compile: shows how a StableHLO program is compiled.
#include <array>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/cli/command_line.h>
#include <weft/cli/module_file.h>
#include <weft/cli/options.h>
#include <weft/compiler/listing.h>
#include <weft/ir/bytecode/write_bytecode.h>

namespace weft::cli {

namespace {

using compiler::Listing;

struct Form {
  const char* name;
  Listing listing;
};
constexpr std::array forms = {Form{"stablehlo", Listing::stablehlo}, Form{"hlo", Listing::hlo},
                              Form{"llvm", Listing::llvm}, Form{"asm", Listing::assembly}, Form{"plan", Listing::plan}};

struct CompileFileOptions {
  std::string file, entry, output, emit = "plan", target = "native";
};

std::string form_names() {
  std::string names;
  for (const Form& form : forms) names += concat(names.empty() ? "" : ", ", form.name);
  return names;
}

Listing find_listing(const std::string& name) {
  for (const Form& form : forms)
    if (form.name == name) return form.listing;
  throw CLI::ValidationError(concat("--emit must be one of ", form_names(), ", got '", name, "'"));
}

void compile_file(const CompileFileOptions& options) {
  const Listing listing = find_listing(options.emit);
  const ir::Module module = read_module(options.file);
  const auto function = find_entry(module, options.file, options.entry);
  compiler::Options compiler = compiler::Options::from_knobs();
  compiler.target = &compiler::Target::named(options.target);
  compiler.donatable = ir::donated_inputs(*function);
  const bool is_bytecode = ir::is_bytecode_name(options.output);
  require(!is_bytecode || listing == Listing::stablehlo, options.output,
          ": only --emit stablehlo is written as bytecode");
  std::string text = list_program(*function, listing, compiler);
  if (is_bytecode) text = write_bytecode(ir::parse_module(text));
  if (options.output.empty())
    std::cout << text;
  else
    write_file(options.output, text);
}

}  // namespace

void add_compile(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("compile", "Compile a StableHLO program and show the result");
  const auto options = std::make_shared<CompileFileOptions>();
  command.add_option("FILE", options->file, "StableHLO, text or bytecode, as JAX and MLIR write it")->required();
  add_text(command, "--entry", options->entry, "a function", "The function to compile; default: main, or the only one");
  add_text(command, "--emit", options->emit, "a form",
           concat("What to show: ", form_names(),
                  ": the graph after the passes in one of these languages, the kernels' code, or memory and thunks; "
                  "default: plan"));
  add_text(command, "--target", options->target, "a machine",
           "The machine to compile for: native (this machine), a level of x86-64: x86-64-v2 (vectors of 4 f32), "
           "x86-64-v3 (8), x86-64-v4 (16), or 64-bit ARM: armv8-a (4); default: native");
  add_text(command, "--output", options->output, "a file",
           "Write to this file instead of the standard output; StableHLO is written as bytecode if its name ends in "
           ".mlir.bc or .mlirbc");
  command.callback([options] { compile_file(*options); });
}

}  // namespace weft::cli
