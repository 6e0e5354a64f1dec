// weft conformance: runs self-checking StableHLO programs and counts the results.
#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/cli/command_line.h>
#include <weft/cli/conformance_case.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/isolated.h>
#include <weft/cli/options.h>
#include <weft/runtime/parallel.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

using Outcome = ConformanceResult::Outcome;

struct ConformanceOptions {
  std::string path;
  bool interpret = false, compiled = false, fast = false, json = false;
  std::int64_t jobs = usable_cpus();
  std::int64_t time_limit = 60;  // in seconds, for one program
  std::int64_t show = 10;        // number of failures to list
};

struct Summary {
  std::map<Outcome, std::int64_t> counts;
  std::map<std::string, std::int64_t> unsupported;  // by feature
  struct Failure {
    std::string place;
    ConformanceResult result;
  };
  std::map<std::size_t, Failure> failures;  // failed and crashed cases, by index
  std::int64_t fell_back = 0;               // passed cases in which the interpreter helped
  double seconds = 0;
  bool interrupted = false;  // by a signal, before all cases ended

  std::int64_t count(Outcome outcome) const {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  }
  std::int64_t total() const {
    return count(Outcome::passed) + count(Outcome::failed) + count(Outcome::unsupported) + count(Outcome::crashed);
  }
};

std::string_view word(Outcome outcome) { return outcome == Outcome::crashed ? "crashed" : "failed"; }

Summary run_all(const ConformanceOptions& options, const std::vector<ConformanceCase>& cases,
                const Interrupt& interrupt) {
  ProgramOptions program;
  program.interpret = options.interpret;
  program.interpreter.accumulation = ir::Accumulation::element;
  program.compiler.strict = !options.fast;
  program.compiler.disabled_passes = {
      "fold-constants"};  // the programs' data are constants, so folding would run them at compile time
  const IsolationLimits limits{.processes = static_cast<int>(options.jobs),
                               .time = std::chrono::seconds(options.time_limit)};
  const auto start = std::chrono::steady_clock::now();
  Summary summary;
  train::Progress progress("conformance", 0, std::ssize(cases),
                           train::Progress::standard_error(train::Progress::rarely));
  std::int64_t ended = 0;
  run_isolated(
      cases.size(), limits,
      [&](std::size_t i) {
        runtime::set_thread_count(1);  // as many programs run in parallel as there are CPUs
        return pack(run_case(cases[i], program));
      },
      [&](std::size_t i, const IsolatedOutcome& outcome) {
        const ConformanceResult result =
            outcome ? unpack(*outcome) : ConformanceResult{Outcome::crashed, "", outcome.reason()};
        ++summary.counts[result.outcome];
        if (result.outcome == Outcome::passed && result.fell_back) ++summary.fell_back;
        if (result.outcome == Outcome::unsupported) ++summary.unsupported[result.feature];
        if (result.outcome == Outcome::failed || result.outcome == Outcome::crashed)
          summary.failures[i] = {concat(cases[i].file.string(), ':', cases[i].first_line), result};
        progress.update(++ended, [&] { return concat(summary.failures.size(), " failed"); });
      },
      &interrupt);
  summary.interrupted = ended < std::ssize(cases);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

// Sorts the features by the number of programs that need them, largest first.
std::vector<std::pair<std::string, std::int64_t>> by_count(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  return sorted;
}

void print_summary_json(const ConformanceOptions& options, const Summary& summary) {
  nlohmann::ordered_json unsupported = nlohmann::ordered_json::object(), failures = nlohmann::ordered_json::array();
  for (const auto& [feature, count] : by_count(summary.unsupported)) unsupported[feature] = count;
  for (const auto& [i, failure] : summary.failures) {
    if (std::ssize(failures) == options.show) break;
    failures.push_back(
        {{"place", failure.place}, {"outcome", word(failure.result.outcome)}, {"reason", failure.result.reason}});
  }
  const nlohmann::ordered_json report = {
      {"mode", options.interpret ? "interpreted"
               : options.fast    ? "compiled, fast"
                                 : "compiled"},
      {"programs", summary.total()},
      {"passed", summary.count(Outcome::passed)},
      {"passed_with_interpreter", summary.fell_back},
      {"failed", summary.count(Outcome::failed)},
      {"unsupported", summary.count(Outcome::unsupported)},
      {"unsupported_by_feature", unsupported},
      {"crashed", summary.count(Outcome::crashed)},
      {"seconds", summary.seconds},
      {"interrupted", summary.interrupted},
      {"failures", failures},
  };
  std::cout << report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
}

void print_text(const ConformanceOptions& options, const Summary& summary) {
  std::cout << summary.total() << " programs: " << summary.count(Outcome::passed) << " passed, "
            << summary.count(Outcome::failed) << " failed, " << summary.count(Outcome::unsupported) << " unsupported, "
            << summary.count(Outcome::crashed) << " crashed in " << std::fixed << std::setprecision(1)
            << summary.seconds << (summary.interrupted ? " s, before it was interrupted\n" : " s\n");
  if (summary.fell_back > 0) std::cout << "  passed with parts in the interpreter: " << summary.fell_back << '\n';
  for (const auto& [feature, count] : by_count(summary.unsupported))
    std::cout << "  unsupported: " << feature << " (" << count << ")\n";
  std::int64_t shown = 0;
  for (const auto& [i, failure] : summary.failures) {
    if (shown++ == options.show) break;
    std::cout << "  " << word(failure.result.outcome) << ": " << failure.place << ": " << failure.result.reason << '\n';
  }
  const auto more = std::ssize(summary.failures) - options.show;
  if (more > 0) std::cout << "  and " << more << " more\n";
  std::cout << std::flush;
}

void run_conformance(const ConformanceOptions& options) {
  const auto cases = find_cases(options.path);
  require(!cases.empty(), options.path, ": holds no *.mlir files");
  const Interrupt interrupt;
  const Summary summary = run_all(options, cases, interrupt);
  options.json ? print_summary_json(options, summary) : print_text(options, summary);
  if (interrupt) throw Stopped{128 + interrupt.signal()};
  require(summary.failures.empty(), summary.failures.size(), " of ", summary.total(), " programs failed or crashed");
}

}  // namespace

void add_conformance(CLI::App& app) {
  CLI::App& command =
      *app.add_subcommand("conformance", "Run self-checking StableHLO programs, each in its own process");
  const auto options = std::make_shared<ConformanceOptions>();
  command.add_option("DIR", options->path, "Folder of *.mlir files, or one file; lines `// -----` separate programs")
      ->required();
  const auto interpret =
      command.add_flag("--interpret", options->interpret, "Run the programs in the reference interpreter");
  command.add_flag("--compiled", options->compiled, "Compile the programs (the default), in strict mode")
      ->excludes(interpret);
  command.add_flag("--fast", options->fast, "Compile the programs like training steps: contraction, any order of sums")
      ->excludes(interpret);
  add_integer(command, "--jobs", options->jobs, "Programs that run at once", {1, 1024});
  add_integer(command, "--time-limit", options->time_limit, "Seconds that one program may take", {1, 86'400});
  add_integer(command, "--show", options->show, "Failures to list", {0, 1'000'000});
  command.add_flag("--json", options->json, "Print one JSON object on the standard output, and nothing else");
  command.callback([options] { run_conformance(*options); });
}

}  // namespace weft::cli
