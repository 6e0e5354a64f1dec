// weft fuzz: runs random graphs on all backends and compares the results.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/base/process.h>
#include <weft/cli/command_line.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/isolated.h>
#include <weft/cli/options.h>
#include <weft/fuzz/check.h>
#include <weft/fuzz/generator.h>
#include <weft/fuzz/inputs.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/devices.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

struct FuzzOptions {
  std::int64_t graphs = 1000;
  std::int64_t seed = std::random_device{}();  // graph i has seed + i
  std::int64_t jobs = usable_cpus();
  std::int64_t time_limit = 30;  // in seconds, for one graph
  std::int64_t show = 10;        // number of failures to list
  std::string target = "native";
  std::string output;          // folder for graphs that failed
  std::string device = "cpu";  // where graphs run
  bool json = false;
};

// The result of running one graph.
struct GraphResult {
  std::string fault = {}, reason = {};  // empty: no fault
  std::int64_t elements = 0, unknown = 0, nodes = 0;
};

void from_json(const nlohmann::json& json, GraphResult& r) {
  json.at(0).get_to(r.fault);
  json.at(1).get_to(r.reason);
  json.at(2).get_to(r.elements);
  json.at(3).get_to(r.unknown);
  json.at(4).get_to(r.nodes);
}
void to_json(nlohmann::json& json, const GraphResult& r) { json = {r.fault, r.reason, r.elements, r.unknown, r.nodes}; }

constexpr std::uint64_t cached = 8;  // one in this many graphs also tests the kernel cache

GraphResult run_graph(std::uint64_t seed, const FuzzOptions& options) {
  const auto graph = fuzz::random_graph(seed);
  const fuzz::CheckOptions check{.target = &compiler::Target::named(options.target),
                                 .cache = seed % cached == 0,
                                 .device = options.device == "cpu" ? nullptr : &runtime::device_named(options.device)};
  const fuzz::Verdict verdict = fuzz::check(*graph, fuzz::random_inputs(*graph, seed), check);
  GraphResult result{.elements = verdict.elements, .unknown = verdict.unknown, .nodes = std::ssize(graph->nodes())};
  if (verdict.fault) {
    result.fault = name(*verdict.fault);
    result.reason = verdict.reason;
  }
  return result;
}

class FuzzRun {
 public:
  explicit FuzzRun(const FuzzOptions& options)
      : options_(options),
        progress_("fuzz", 0, options.graphs, train::Progress::standard_error(train::Progress::rarely)) {}

  // Runs the graphs in batches, one process per batch. The graphs of a batch that crashed run again, each in its own
  // process.
  void run(const Interrupt& interrupt) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::int64_t> rest;
    run_pieces(batches(), interrupt, [&](const Batch& batch) {
      for (std::int64_t i = batch.begin; i < batch.end; ++i) rest.push_back(i);
    });
    std::vector<Batch> singles;
    for (const std::int64_t i : rest) singles.push_back({i, i + 1});
    run_pieces(singles, interrupt,
               [&](const Batch& batch) { take(batch.begin, {.fault = "crash", .reason = last_crash_}); });
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void print() const { options_.json ? print_json() : print_text(); }
  std::int64_t done() const { return done_; }
  std::size_t failures() const { return failures_.size(); }

 private:
  struct Batch {
    std::int64_t begin, end;
  };

  std::vector<Batch> batches() const {
    const std::int64_t size = options_.device == "cpu" ? 20 : 100;  // a process takes a second to find a GPU
    std::vector<Batch> list;
    for (std::int64_t i = 0; i < options_.graphs; i += size) list.push_back({i, std::min(i + size, options_.graphs)});
    return list;
  }

  std::uint64_t seed_of(std::int64_t i) const { return options_.seed + i; }

  template <class Crashed>
  void run_pieces(const std::vector<Batch>& pieces, const Interrupt& interrupt, Crashed&& crashed) {
    const std::int64_t longest = pieces.empty() ? 1 : pieces[0].end - pieces[0].begin;
    const IsolationLimits limits{.processes = static_cast<int>(options_.jobs),
                                 .time = std::chrono::seconds(options_.time_limit * longest)};
    run_isolated(
        pieces.size(), limits,
        [&](std::size_t p) {
          std::vector<GraphResult> results;
          for (std::int64_t i = pieces[p].begin; i < pieces[p].end; ++i) {
            ::alarm(options_.time_limit);  // ends the process if a graph hangs
            results.push_back(run_graph(seed_of(i), options_));
          }
          return nlohmann::json(results).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        },
        [&](std::size_t p, const IsolatedOutcome& outcome) {
          last_crash_ = outcome.reason();
          if (!outcome) return crashed(pieces[p]);
          const auto results = nlohmann::json::parse(*outcome).get<std::vector<GraphResult>>();
          for (std::size_t k = 0; k < results.size(); ++k)
            take(pieces[p].begin + static_cast<std::int64_t>(k), results[k]);
        },
        &interrupt);
  }

  void take(std::int64_t i, const GraphResult& result) {
    elements_ += result.elements;
    unknown_ += result.unknown;
    nodes_ += result.nodes;
    discarded_ += result.elements > 0 && result.unknown == result.elements;
    if (!result.fault.empty()) {
      ++faults_[result.fault];
      failures_.emplace(i, result);
      write(i, result);
    }
    progress_.update(++done_, [&] { return concat(failures_.size(), " failed"); });
  }

  std::string reproduce(std::int64_t i) const {
    return concat("weft fuzz --graphs 1 --seed ", seed_of(i),
                  options_.target == "native" ? "" : concat(" --target ", options_.target));
  }

  // If a graph cannot be written, its seed is enough to make it again.
  void write(std::int64_t i, const GraphResult& result) {
    if (options_.output.empty()) return;
    try {
      write_graph(i, result);
    } catch (const Error& error) {
      progress_.note(concat("warning: ", error.what(), "; `", reproduce(i), "` makes the graph again"));
    }
  }

  void write_graph(std::int64_t i, const GraphResult& result) const {
    const auto graph = fuzz::random_graph(seed_of(i));
    std::string reason = result.reason;
    std::ranges::replace(reason, '\n', ' ');
    write_file(std::filesystem::path(options_.output) / concat(seed_of(i), ".mlir"),
               concat("// ", reproduce(i), ": ", result.fault, ": ", reason, '\n', ir::print(*graph)));
  }

  double unknown_share() const { return elements_ > 0 ? unknown_ / static_cast<double>(elements_) : 0; }

  void print_json() const {
    nlohmann::ordered_json faults = nlohmann::ordered_json::object(), failures = nlohmann::ordered_json::array();
    for (const auto& [fault, count] : faults_) faults[fault] = count;
    for (const auto& [i, result] : failures_) {
      if (std::ssize(failures) == options_.show) break;
      failures.push_back({{"seed", seed_of(i)}, {"fault", result.fault}, {"reason", result.reason}});
    }
    const nlohmann::ordered_json report = {
        {"graphs", done_},
        {"seed", options_.seed},
        {"nodes", nodes_},
        {"failed", failures_.size()},
        {"faults", faults},
        {"discarded", discarded_},
        {"unknown", unknown_share()},
        {"seconds", seconds_},
        {"interrupted", done_ < options_.graphs},
        {"failures", failures},
    };
    std::cout << report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

  void print_text() const {
    std::cout << done_ << (done_ < options_.graphs ? concat(" of ", options_.graphs) : "") << " graphs from seed "
              << options_.seed << ", " << nodes_ << " nodes: " << failures_.size() << " failed, " << discarded_
              << " too inexact to judge in " << std::fixed << std::setprecision(1) << seconds_ << " s\n";
    for (const auto& [fault, count] : faults_) std::cout << "  " << fault << ": " << count << '\n';
    std::int64_t shown = 0;
    for (const auto& [i, result] : failures_) {
      if (shown++ == options_.show) break;
      std::cout << "  " << reproduce(i) << ": " << result.fault << ": " << result.reason << '\n';
    }
    const auto more = std::ssize(failures_) - options_.show;
    if (more > 0) std::cout << "  and " << more << " more\n";
    std::cout << std::flush;
  }

  const FuzzOptions& options_;
  train::Progress progress_;
  std::map<std::string, std::int64_t> faults_;
  std::map<std::int64_t, GraphResult> failures_;  // by index of the graph
  std::string last_crash_;
  std::int64_t done_ = 0, elements_ = 0, unknown_ = 0, nodes_ = 0, discarded_ = 0;
  double seconds_ = 0;
};

// Asked in a process of its own, because a driver that this process had loaded would not work in those that it forks.
void require_device(const FuzzOptions& options) {
  if (!runtime::parse_device(options.device)) return;
  const auto find = [&](std::size_t) {
    try {
      runtime::require_device(options.device);
      return std::string();
    } catch (const Error& missing) {
      return std::string(missing.what());
    }
  };
  run_isolated(1, {}, find, [](std::size_t, const IsolatedOutcome& outcome) {
    require(outcome.ok(), "looking for the GPU: ", outcome.reason());
    require(outcome->empty(), *outcome);
  });
}

void run_fuzz(const FuzzOptions& options) {
  const knobs::Override on_disk(knobs::cache, false);  // random kernels are not worth keeping
  const compiler::Target& target = compiler::Target::named(options.target);
  require(target.runs_here && !target.is_nvidia(), "the CPU cannot run code for ", options.target);
  require_device(options);
  if (!options.output.empty()) make_folder(options.output);
  FuzzRun run(options);
  const Interrupt interrupt;
  run.run(interrupt);
  run.print();
  if (interrupt) throw Stopped{128 + interrupt.signal()};
  require(run.failures() == 0, run.failures(), " of ", run.done(), " graphs failed");
}

}  // namespace

void add_fuzz(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("fuzz", "Run random graphs in all ways and compare the results");
  const auto options = std::make_shared<FuzzOptions>();
  add_integer(command, "--graphs", options->graphs, "Number of graphs", {1, 1'000'000'000});
  add_integer(command, "--seed", options->seed,
              "Seed of the first graph, increased by 1 for each graph (default: random)", {0, std::int64_t{1} << 62});
  add_text(command, "--output", options->output, "a folder", "Folder for graphs that fail, written as SEED.mlir");
  add_text(command, "--target", options->target, "a target",
           "Machine to compile for, which must run here: native, or twin for a GPU's kernels");
  add_integer(command, "--jobs", options->jobs, "Processes that run at once", {1, 1024});
  add_integer(command, "--time-limit", options->time_limit, "Seconds that one graph may take", {1, 86'400});
  add_integer(command, "--show", options->show, "Failures to list", {0, 1'000'000});
  add_text(command, "--device", options->device, "a device",
           "Device on which graphs run: cpu, cuda or cuda:N; default: cpu");
  command.add_flag("--json", options->json, "Print one JSON object on the standard output, and nothing else");
  command.callback([options] { run_fuzz(*options); });
}

}  // namespace weft::cli
