// weft reduce: shrinks a graph that shows a fault, as long as the fault remains.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/cli/command_line.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/isolated.h>
#include <weft/cli/module_file.h>
#include <weft/cli/options.h>
#include <weft/fuzz/check.h>
#include <weft/fuzz/inputs.h>
#include <weft/fuzz/shrink.h>
#include <weft/ir/text/text.h>

namespace weft::cli {

namespace {

struct ReduceOptions {
  std::string file, output, target = "native";
  std::int64_t seed = 0;         // of the inputs
  std::int64_t time_limit = 30;  // in seconds, for one try
};

// What goes wrong, and how; `fault` is the same for all graphs that fail in the same way.
struct Failure {
  std::string fault, reason;
};

// Thrown when a signal ends the search; the smallest graph so far is then the result.
struct Interrupted {};

// Every try runs in its own process, so that crashes and hangs can be reduced too.
std::optional<Failure> try_graph(const ir::Graph& graph, const ReduceOptions& options, const Interrupt& interrupt) {
  std::optional<Failure> failure;
  run_isolated(
      1, {.time = std::chrono::seconds(options.time_limit)},
      [&](std::size_t) -> std::string {
        const auto inputs = fuzz::random_inputs(graph, options.seed);
        const fuzz::Verdict verdict = fuzz::check(graph, inputs, {.target = &compiler::Target::named(options.target)});
        return verdict.fault ? concat(name(*verdict.fault), '\n', verdict.reason) : "";
      },
      [&](std::size_t, const IsolatedOutcome& outcome) {
        if (outcome.reason().starts_with("exception: ")) return;  // the interpreter rejects the graph
        if (!outcome) {
          failure = {outcome.reason(), ""};
        } else if (const std::size_t line = outcome->find('\n'); line != outcome->npos) {
          failure = {outcome->substr(0, line), outcome->substr(line + 1)};
        }
      },
      &interrupt);
  if (interrupt) throw Interrupted{};
  return failure;
}

fuzz::GraphPtr read_graph(const std::string& file) { return find_entry(read_module(file), file, ""); }

// A failing graph and its last failure.
struct Found {
  Failure failure;
  std::string text;
  std::size_t nodes = 0;
};

Found find_failure(const ir::Graph& graph, const ReduceOptions& options, const Interrupt& interrupt) {
  auto failure = try_graph(graph, options, interrupt);
  require(failure.has_value(), options.file, ": no fault occurs with inputs of seed ", options.seed,
          "; --seed chooses others");
  return {std::move(*failure), ir::print(graph), graph.nodes().size()};
}

void shrink(const fuzz::GraphPtr& graph, const ReduceOptions& options, const Interrupt& interrupt, Found& smallest) {
  const std::string fault = smallest.failure.fault;
  const auto result = fuzz::shrink(graph, [&](const ir::Graph& candidate) {
    auto failure = try_graph(candidate, options, interrupt);
    if (!failure || failure->fault != fault) return false;
    smallest = {std::move(*failure), ir::print(candidate), candidate.nodes().size()};
    std::cerr << "  " << smallest.nodes << " nodes\n";
    return true;
  });
  smallest.text = ir::print(*result);
}

void write_result(const ReduceOptions& options, const Found& found) {
  std::string reason = found.failure.reason;
  std::ranges::replace(reason, '\n', ' ');
  const std::string text = concat("// weft reduce --seed ", options.seed, ": ", found.failure.fault,
                                  reason.empty() ? "" : ": ", reason, '\n', found.text);
  options.output.empty() ? void(std::cout << text << std::flush) : write_file(options.output, text);
}

void run_reduce(const ReduceOptions& options) {
  const knobs::Override on_disk(knobs::cache, false);
  const fuzz::GraphPtr graph = read_graph(options.file);
  if (!options.output.empty()) require_writable(options.output);
  const Interrupt interrupt;
  std::optional<Found> smallest;
  try {
    smallest = find_failure(*graph, options, interrupt);
    std::cerr << options.file << ": " << smallest->failure.fault << ": " << smallest->nodes << " nodes\n";
    shrink(graph, options, interrupt, *smallest);
  } catch (const Interrupted&) {
    if (!smallest) throw Stopped{128 + interrupt.signal()};
  }
  write_result(options, *smallest);
  if (interrupt) throw Stopped{128 + interrupt.signal()};
}

}  // namespace

void add_reduce(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "reduce", "Shrink a StableHLO program that shows a fault of the engine, while it fails in the same way");
  const auto options = std::make_shared<ReduceOptions>();
  command.add_option("FILE", options->file, "StableHLO text, as `weft fuzz --output` writes it")->required();
  add_integer(command, "--seed", options->seed, "Seed of the inputs, as `weft fuzz` prints it for the graph",
              {0, std::int64_t{1} << 62});
  add_text(command, "--target", options->target, "a target", "Machine to compile for, as for `weft fuzz`");
  add_integer(command, "--time-limit", options->time_limit, "Seconds that one try may take", {1, 86'400});
  add_text(command, "--output", options->output, "a file", "File for the small program (default: the standard output)");
  command.callback([options] { run_reduce(*options); });
}

}  // namespace weft::cli
