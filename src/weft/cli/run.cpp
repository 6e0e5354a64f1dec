// weft run: runs a function of a StableHLO file on NumPy arrays.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/cli/command_line.h>
#include <weft/cli/device_option.h>
#include <weft/cli/divide.h>
#include <weft/cli/module_file.h>
#include <weft/cli/options.h>
#include <weft/cli/program.h>
#include <weft/cli/run_inputs.h>
#include <weft/compiler/on_mesh.h>
#include <weft/compiler/spmd/describe_division.h>
#include <weft/data/npy.h>
#include <weft/ir/boundary.h>
#include <weft/ir/element_text.h>
#include <weft/profile/hints.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/devices.h>

namespace weft::cli {

namespace {

struct RunOptions {
  std::string file, entry, output;
  std::vector<std::string> inputs, more_inputs;
  std::int64_t seed = 0, repeat = 1, devices = 1;
  bool random = false, interpret = false, json = false;
};

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct RunReport {
  bool is_compiled = false;
  std::vector<std::string> fallbacks;
  double parse_ms = 0, compile_ms = 0;
  std::vector<double> run_ms;
  std::optional<compiler::Division> division;
  std::vector<ir::Array> outputs;
  std::vector<ir::Port> results;  // one entry for the two outputs of a complex result
  std::vector<std::string> files;
};

std::string result_file(const RunOptions& options, std::size_t i) {
  return (std::filesystem::path(options.output) / concat("result", i, ".npy")).string();
}

void write_outputs(const RunOptions& options, RunReport& report) {
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    report.files.push_back(result_file(options, i));
    const ir::Array* parts = &report.outputs[report.results[i].first];
    if (report.results[i].is_complex)
      data::write_npy(report.files.back(), parts[0], parts[1]);
    else
      data::write_npy(report.files.back(), parts[0]);
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print_run_json(const ir::Graph& function, const RunReport& report) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array(), outputs = inputs;
  for (const ir::Port& port : ir::input_ports(function)) inputs.push_back(concat(port));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    nlohmann::ordered_json output = {{"type", concat(report.results[i])}};
    if (!report.files.empty()) output["file"] = report.files[i];
    outputs.push_back(std::move(output));
  }
  nlohmann::ordered_json result = {
      {"function", function.name},
      {"mode", !report.is_compiled ? "interpreted"
               : knobs::strict()   ? "compiled, strict"
                                   : "compiled"},
      {"fallbacks", report.fallbacks},
      {"inputs", inputs},
      {"outputs", outputs},
      {"parse_ms", report.parse_ms},
      {"compile_ms", report.compile_ms},
      {"run_ms", report.run_ms},
      {"run_ms_p50", median(report.run_ms)},
  };
  if (report.division) {
    result["devices"] = report.division->devices;
    result["collectives"] = report.division->operations();
    result["sent_bytes"] = report.division->sent_bytes();
  }
  std::cout << result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

void print_text(const RunOptions& options, const RunReport& report) {
  constexpr std::int64_t shown = 8;  // maximum number of elements printed for a result
  const auto print_element = [&](const ir::Port& port, std::int64_t e) {
    const ir::Array* parts = &report.outputs[port.first];
    if (port.is_complex)
      std::cout << '(' << element_text(parts[0], e) << ", " << element_text(parts[1], e) << ')';
    else
      std::cout << element_text(parts[0], e);
  };
  if (report.division) std::cout << report.division->summary() << '\n';
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const ir::Port& port = report.results[i];
    const std::int64_t size = port.part.elements();
    std::cout << "result " << i << ": " << port;
    if (!report.files.empty()) {
      std::cout << " in " << report.files[i] << '\n';
      continue;
    }
    std::cout << " [";
    for (std::int64_t e = 0; e < std::min(shown, size); ++e) {
      std::cout << (e ? ", " : "");
      print_element(port, e);
    }
    std::cout << (size > shown ? ", ...]\n" : "]\n");
  }
  if (options.repeat > 1)
    std::cout << "compiled in " << report.compile_ms << " ms; " << options.repeat << " runs: first " << report.run_ms[0]
              << " ms, median " << median(report.run_ms) << " ms\n";
}

compiler::Options compiler_options(const ir::Graph& function, const RunOptions& options) {
  auto compiler = compiler::Options::from_knobs();
  compiler.name = program_name(function, options.file);
  return compiler;
}

// Runs the function on logical devices of this process: compiled, or each as a thread of the interpreter.
void run_on_mesh(const RunOptions& options, const ir::Graph& function, std::span<const ir::Array> inputs,
                 RunReport& report) {
  Clock::time_point start = Clock::now();
  const compiler::Partitioned program = divide(function, options.file);
  report.division = compiler::describe_division(program);
  require(program.mesh.devices() == options.devices, options.file, ": the mesh (", program.mesh, ") has ",
          program.mesh.devices(), " devices, --devices gives ", options.devices);
  report.is_compiled = !options.interpret;
  std::shared_ptr<const runtime::Executable> compiled;
  if (report.is_compiled) {
    compiler::Report made;
    compiled = compiler::compile_for_mesh(program, compiler_options(function, options), &made);
    report.fallbacks = std::move(made.fallbacks);
    report.division = std::move(made.division);
  }
  report.compile_ms = ms_since(start);
  for (std::int64_t i = 0; i < options.repeat; ++i) {
    start = Clock::now();
    double& ms = report.run_ms.emplace_back();
    if (compiled) {
      report.outputs = compiler::run_on_mesh(compiled, runtime::cpu(), inputs, &ms);
    } else {
      report.outputs = compiler::interpret_on_mesh(program, inputs);
      ms = ms_since(start);
    }
  }
}

void run_on_one_device(const RunOptions& options, const ir::Graph& function, std::span<const ir::Array> inputs,
                       RunReport& report) {
  const Clock::time_point start = Clock::now();
  ProgramOptions program_options;
  program_options.interpret = options.interpret;
  program_options.requires_finite = knobs::debug_nans();
  program_options.compiler = compiler_options(function, options);
  Program program(function, program_options);
  report.compile_ms = ms_since(start);
  report.is_compiled = program.is_compiled();
  report.fallbacks.assign(program.fallbacks().begin(), program.fallbacks().end());
  if (!options.interpret && !report.is_compiled)
    std::cerr << "note: " << report.fallbacks.front() << "; it is interpreted\n";
  for (std::int64_t i = 0; i < options.repeat; ++i) report.outputs = program.run(inputs, &report.run_ms.emplace_back());
}

void run_file(const RunOptions& options) {
  profile::listen();
  RunReport report;
  const Clock::time_point start = Clock::now();
  const ir::Module module = read_module(options.file);
  const auto function = find_entry(module, options.file, options.entry);
  report.results = ir::output_ports(*function);
  report.parse_ms = ms_since(start);
  if (!options.output.empty()) make_folder(options.output), require_writable(result_file(options, 0));
  const auto inputs =
      find_inputs(*function, options.inputs, options.random ? std::optional(options.seed) : std::nullopt);

  (options.devices > 1 ? run_on_mesh : run_on_one_device)(options, *function, inputs, report);
  if (!options.output.empty()) write_outputs(options, report);
  options.json ? print_run_json(*function, report) : print_text(options, report);
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "Run a StableHLO program on NumPy arrays");
  const auto options = std::make_shared<RunOptions>();
  command.add_option("FILE", options->file, "StableHLO, text or bytecode, as JAX and MLIR write it")->required();
  add_text(command, "--entry", options->entry, "a function", "The function to run; default: main, or the only one");
  command
      .add_option("--input", options->inputs,
                  "Arrays for the function's inputs, in order: a .npy file each, or an .npz file with several")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_option("ARRAY", options->more_inputs, "More arrays after --input: --input a.npy b.npy");
  CLI::Option* random = add_integer(command, "--random", options->seed,
                                    "Draw the inputs that are not given: floats from [-1, 1), integers from 0 to 9",
                                    {0, std::numeric_limits<std::int64_t>::max()});
  add_text(command, "--output", options->output, "a folder", "Write the results to this folder: result0.npy and so on");
  command.add_flag("--interpret", options->interpret,
                   "Run the function in the reference interpreter, without compiling");
  add_integer(command, "--devices", options->devices,
              "Divide the program among so many logical devices of this process, as its sdy.mesh and sdy.shardings say",
              {1, 4096});
  add_device(command);
  add_integer(command, "--repeat", options->repeat, "Run the function this many times, and print the times",
              {1, 1'000'000});
  command.add_flag("--json", options->json, "Print one JSON object on the standard output, and nothing else");
  command.callback([options, random] {
    if (options->inputs.empty() && !options->more_inputs.empty())
      throw CLI::ValidationError("unexpected argument " + options->more_inputs.front() +
                                 ": arrays must follow --input");
    options->inputs.insert(options->inputs.end(), options->more_inputs.begin(), options->more_inputs.end());
    options->random = random->count() > 0;
    if (options->interpret && options->devices > 256)
      throw CLI::ValidationError("--interpret runs at most 256 devices, each in a thread of its own");
    if (options->devices > 1 && runtime::parse_device(knobs::device()))
      throw CLI::ValidationError("--devices divides a program among the CPUs: use it with --device cpu");
    run_file(*options);
  });
}

}  // namespace weft::cli
