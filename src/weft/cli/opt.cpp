// weft opt: reads StableHLO modules, runs passes on them and prints them.
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/cli/command_line.h>
#include <weft/cli/divide.h>
#include <weft/cli/options.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/annotations.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/bytecode/write_bytecode.h>
#include <weft/ir/verify.h>

namespace weft::cli {

namespace {

struct OptOptions {
  std::string file, output, target, machine = "native";
  std::vector<std::string> passes;
  bool partition = false, join = false, verify = false, print_after_each = false, list_passes = false,
       keep_going = false;
  ir::PrintOptions print;
};

std::string read_input(const std::string& file) {
  if (file != "-") return read_file(file);
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  require(!std::cin.bad(), "the standard input cannot be read");
  return text;
}

void report(const OptOptions& options, std::string_view wrong) { std::cerr << options.file << ":" << wrong << '\n'; }

ir::Module parse(const OptOptions& options, const ir::Section& section) {
  try {
    if (!options.keep_going || !ir::is_bytecode(section.text))
      return ir::read_program(section.text, {}, section.first_line);
    std::vector<std::string> refused;
    ir::Module module = ir::read_bytecode(section.text, {}, &refused);
    for (const std::string& reason : refused) report(options, reason);
    return module;
  } catch (const Error& wrong) {
    if (!options.keep_going) fail(options.file, ':', wrong.what());
    report(options, wrong.what());
    return {};
  }
}

// Bytecode and exported programs hold one module, whatever bytes are in them; text has no NUL.
std::vector<ir::Section> sections_of(std::string_view contents) {
  if (ir::is_bytecode(contents) || contents.find('\0') != contents.npos) return {{contents, 1}};
  return ir::split_sections(contents);
}

void verify(const ir::Module& module) {
  for (const auto& function : module.functions) ir::verify(*function);
}

void run_pass(const compiler::Pass& pass, const compiler::Options& machine, ir::Module& module) {
  for (auto& function : module.functions) {
    auto next = pass.run(*function, machine);
    if (!next) continue;
    next->name = function->name;
    function = std::move(next);
  }
}

std::shared_ptr<const ir::FunctionAnnotations> for_devices(std::int64_t devices) {
  ir::ModuleAnnotations module;
  module.attributes = {{"mhlo.num_partitions", concat(devices, " : i32")}, {"mhlo.num_replicas", "1 : i32"}};
  return std::make_shared<const ir::FunctionAnnotations>(
      ir::FunctionAnnotations{.module = std::make_shared<const ir::ModuleAnnotations>(std::move(module))});
}

// Replaces each function by the program that every device of its mesh runs. The module says for how many devices it is, unless that
// differs between functions.
void partition(const OptOptions& options, ir::Module& module) {
  std::vector<std::shared_ptr<ir::Graph>> programs;
  std::set<std::int64_t> devices;
  for (auto& function : module.functions) {
    const compiler::Partitioned divided = (options.join ? divide_and_join : divide)(*function, options.file);
    devices.insert(divided.mesh.devices());
    programs.push_back(compiler::copy_of(*divided.graph));
    function = programs.back();
  }
  if (devices.size() != 1) return;
  for (const auto& program : programs) program->annotations = for_devices(*devices.begin());
}

// Reads a section and runs the passes; prints the module after each pass if that is asked for.
ir::Module run_section(const OptOptions& options, std::span<const compiler::Pass* const> passes,
                       const ir::Section& section) {
  ir::Module module = parse(options, section);
  if (options.verify) verify(module);
  if (options.partition) partition(options, module);
  for (const compiler::Pass* pass : passes) {
    run_pass(*pass, {.target = &compiler::Target::named(options.machine)}, module);
    if (options.verify) verify(module);
    if (options.print_after_each) std::cout << "// after " << pass->name << '\n' << print(module, options.print);
  }
  return module;
}

std::vector<const compiler::Pass*> chosen_passes(const OptOptions& options) {
  std::vector<const compiler::Pass*> passes;
  for (const std::string& name : options.passes) {
    passes.push_back(compiler::find_pass(name));
    if (!passes.back()) throw CLI::ValidationError("--pass", "there is no pass " + name + "; --list-passes shows all");
  }
  return passes;
}

void list_passes() {
  std::size_t width = 0;
  for (const compiler::Pass& pass : compiler::passes()) width = std::max(width, pass.name.size());
  for (const compiler::Pass& pass : compiler::passes())
    std::cout << pass.name << std::string(width + 2 - pass.name.size(), ' ') << pass.summary << '\n';
}

ir::BytecodeOptions bytecode_options(const OptOptions& options) {
  ir::BytecodeOptions bytecode{.print = options.print};
  bytecode.print.portable = true;
  if (!options.target.empty()) bytecode.target = *ir::parse_stablehlo_version(options.target);
  return bytecode;
}

void check_target(const OptOptions& options) {
  if (options.target.empty()) return;
  if (!ir::parse_stablehlo_version(options.target))
    throw CLI::ValidationError("--target", "expected a version of StableHLO such as 1.10, got " + options.target);
  if (!ir::is_bytecode_name(options.output))
    throw CLI::ValidationError("--target", "only bytecode has a version; --output must name a file FILE.mlir.bc");
}

void run_opt(const OptOptions& options) {
  if (options.list_passes) return list_passes();
  if (options.file.empty()) throw CLI::RequiredError("FILE");
  check_target(options);
  const auto passes = chosen_passes(options);
  const std::string text = read_input(options.file);
  const bool is_bytecode = ir::is_bytecode_name(options.output);
  const std::vector<ir::Section> sections = sections_of(text);
  require(!is_bytecode || sections.size() == 1, options.output, ": bytecode holds one module; ", options.file,
          " holds ", sections.size());
  std::string written;
  for (const ir::Section& section : sections) {
    if (&section != sections.data()) written += "\n// -----\n\n";
    const ir::Module module = run_section(options, passes, section);
    const bool is_printed = options.print_after_each && !passes.empty();
    if (is_bytecode)
      written += write_bytecode(module, bytecode_options(options));
    else if (!is_printed || !options.output.empty())
      written += print(module, options.print);
    if (!options.output.empty()) continue;
    std::cout << written;
    written.clear();
  }
  if (!options.output.empty()) write_file(options.output, written);
}

}  // namespace

void add_opt(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("opt", "Read StableHLO modules, run passes on them and print them");
  const auto options = std::make_shared<OptOptions>();
  command.add_option("FILE", options->file,
                     "StableHLO text, modules separated by lines `// -----`, or bytecode; - for the standard input");
  command.add_option("--pass", options->passes, "Run these passes, in this order")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_text(command, "--machine", options->machine, "a machine",
           "The machine for which the passes are run, as of weft compile --target; default: native");
  add_text(command, "--output", options->output, "a file",
           "Write to this file instead of the standard output; as bytecode, a StableHLO portable artifact, if its name "
           "ends in .mlir.bc or .mlirbc");
  add_text(command, "--target", options->target, "a version",
           concat("The version of StableHLO in which bytecode is written, from ", ir::oldest_stablehlo, " to ",
                  ir::newest_stablehlo,
                  "; readers of that version and of newer ones read it; default: ", ir::newest_stablehlo));
  command.add_flag("--partition", options->partition,
                   "Divide each function among the devices of its sdy.mesh, as its sdy.shardings say, and print the "
                   "program of every device");
  command
      .add_flag("--join-collectives", options->join,
                "With --partition: let one collective carry several tensors where the compiler does (WEFT_BUCKETS)")
      ->needs("--partition");
  command.add_flag("--verify", options->verify, "Verify every function as read and after each pass");
  command.add_flag("--keep-going", options->keep_going,
                   "Leave out what cannot be read, modules of text and functions of bytecode, and print why");
  command.add_flag("--print-after-each", options->print_after_each, "Print after each pass, not only at the end");
  command.add_flag("--locations", options->print.locations, "Print the source location of each operation");
  command.add_flag("--list-passes", options->list_passes, "Show the passes in the order of the compiler's pipeline");
  command.callback([options] { run_opt(*options); });
}

}  // namespace weft::cli
