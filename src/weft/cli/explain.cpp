// weft explain: shows a compiled program as a graph.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/cli/command_line.h>
#include <weft/cli/divide.h>
#include <weft/cli/explain_collectives.h>
#include <weft/cli/module_file.h>
#include <weft/cli/options.h>
#include <weft/cli/profile_folder.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/spmd/why_sharded.h>
#include <weft/profile/analysis.h>
#include <weft/profile/graph_view.h>
#include <weft/runtime/program_description.h>

namespace weft::cli {

namespace {

struct ExplainOptions {
  std::string file, entry, output, around, format = "text";
  std::string run;  // with --last; empty: the most recent run
  std::int64_t distance = 2;
  bool last = false, expand = false, collectives = false, shardings = false, json = false;
};

constexpr std::array formats = {"text", "dot", "svg"};

// Graphviz drew 475 operations in a quarter of a second, but did not finish 1,479 within ten minutes; nobody could read
// them either.
constexpr std::size_t most_drawn = 600;

runtime::ProgramDescription named(runtime::ProgramDescription program, std::string name) {
  program.name = std::move(name);
  return program;
}

// Returns the program that took the most time in a recorded run.
runtime::ProgramDescription longest_program(const std::filesystem::path& run) {
  const profile::Recording recording = profile::read_recording(run);
  if (const auto* const program = profile::longest_program(recording, profile::analyse(recording))) {
    warn_of_gaps(recording);
    return named(program->description, program->name);
  }
  std::string reason;
  for (const std::string& note : recording.notes) reason += concat(": ", note);
  fail("explain: the profile ", recording.file.string(), " holds no program's contents", reason);
}

runtime::ProgramDescription compiled_program(const ExplainOptions& options) {
  const ir::Module module = read_module(options.file);
  const auto function = find_entry(module, options.file, options.entry);
  const auto executable = compiler::compile(*function, compiler::Options::from_knobs());
  return named(executable->describe(), program_name(*function, options.file));
}

// Returns the profile to explain; nullopt: a file.
std::optional<std::filesystem::path> run_of(const ExplainOptions& options) {
  if (options.last) return options.run.empty() ? last_profile_folder() : std::filesystem::path(options.run);
  std::error_code ignored;
  return std::filesystem::is_directory(options.file, ignored) ? std::optional<std::filesystem::path>(options.file)
                                                              : std::nullopt;
}

runtime::ProgramDescription program_of(const ExplainOptions& options) {
  const auto run = run_of(options);
  return run ? longest_program(*run) : compiled_program(options);
}

std::string drawing(const runtime::ProgramDescription& program, const profile::GraphViewOptions& view) {
  const std::size_t count = graph_size(program, view);
  require(count <= most_drawn, "explain: ", count, " operations are too many for one picture, ", most_drawn,
          " is the limit; --around NAME draws the neighbourhood of one of them, --format dot writes them all");
  return profile::dot_to_svg(graph_dot(program, view));
}

std::string show_graph(const ExplainOptions& options) {
  const runtime::ProgramDescription program = program_of(options);
  const profile::GraphViewOptions view{
      .around = options.around, .distance = static_cast<int>(options.distance), .expand = options.expand};
  return options.format == "text"  ? graph_text(program, view)
         : options.format == "dot" ? graph_dot(program, view)
                                   : drawing(program, view);
}

std::string show_collectives(const ExplainOptions& options) {
  if (options.format != "text") throw CLI::ValidationError("--collectives explains as text or, with --json, as JSON");
  if (const auto run = run_of(options)) return explain_recorded_collectives(*run, options.json);
  return explain_collectives(options.file, options.entry, options.json);
}

// Tells how the values of the function are divided, and why.
std::string explain_values(const ExplainOptions& options) {
  if (options.file.empty() || options.format != "text")
    throw CLI::ValidationError("--shardings explains a FILE, as text");
  const ir::Module module = read_module(options.file);
  std::string text;
  for (const compiler::ShardedValue& v :
       compiler::explain_shardings(divide(*find_entry(module, options.file, options.entry), options.file))) {
    text += concat(v.value, ": ", v.type, ' ', v.sharding, '\n');
    for (const std::string& reason : v.reasons) text += concat("  ", reason, '\n');
  }
  return text.empty() ? "all devices hold all values whole\n" : text;
}

void explain(const ExplainOptions& options) {
  if (std::ranges::find(formats, options.format) == formats.end())
    throw CLI::ValidationError(concat("--format must be one of text, dot, svg, got '", options.format, "'"));
  if (options.last != options.file.empty()) throw CLI::ValidationError("weft explain takes either a FILE or --last");
  if (options.json && !options.collectives) throw CLI::ValidationError("--json needs --collectives");
  if (options.collectives && options.shardings)
    throw CLI::ValidationError("--collectives and --shardings exclude each other");
  const std::string text = options.collectives ? show_collectives(options)
                           : options.shardings ? explain_values(options)
                                               : show_graph(options);
  if (options.output.empty()) {
    std::cout << text;
  } else {
    write_file(options.output, text);
  }
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("explain", "Show a compiled program as a graph, with the origin of each dimension");
  const auto options = std::make_shared<ExplainOptions>();
  command.add_option(
      "FILE", options->file,
      "StableHLO, text or bytecode, as JAX and MLIR write it; or a folder that weft profile made, as with --last");
  CLI::Option* last =
      command
          .add_option(
              "--last", options->run,
              "Explain the program that took the most time in RUN, a folder that weft profile made; default: the last "
              "one under weft-profile/")
          ->type_name("[RUN]")
          ->expected(0, 1);
  add_text(command, "--entry", options->entry, "a function", "The function to explain; default: main, or the only one");
  add_text(command, "--format", options->format, "a form",
           "text, dot (Graphviz) or svg (needs Graphviz); default: text");
  add_text(command, "--around", options->around, "an operation",
           "Show only the neighbourhood of this operation: %fusion.12");
  add_integer(command, "--distance", options->distance, "Size of the neighbourhood, in edges", {0, 1000});
  command.add_flag("--expand", options->expand, "Also show the operations inside fusions");
  command.add_flag(
      "--collectives", options->collectives,
      "Show instead why the devices of the program's mesh communicate and what each sends; for a recorded run, also "
      "the time of each collective, as predicted and as measured");
  command.add_flag("--json", options->json, "With --collectives: print one JSON object, and nothing else");
  command.add_flag("--shardings", options->shardings,
                   "Show instead how the values of the program are divided among the devices of its mesh, and why");
  add_text(command, "--output", options->output, "a file", "Write to this file instead of the standard output");
  command.callback([options, last] {
    options->last = last->count() > 0;
    explain(*options);
  });
}

}  // namespace weft::cli
