// weft lab sparse: options, table and JSON.
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <apps/lab/sparse.h>
#include <weft/base/process.h>
#include <weft/cli/command_line.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/options.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

double ratio(const lab::SparseReport& report, const lab::SparseRun& run) {
  const lab::SparseRun* const sparse_dist = report.sparse_dist();
  return sparse_dist && sparse_dist->step_ms_p50 > 0 ? run.step_ms_p50 / sparse_dist->step_ms_p50 : 0;
}

void print_json(const lab::SparseReport& report) {
  using json = nlohmann::ordered_json;
  json rows = json::array();
  for (const lab::SparseRun& run : report.runs) {
    json stale = json::object();
    if (run.stale_steps > 0) stale["tables"] = run.stale_steps;
    rows.push_back({{"schedule", run.schedule},
                    {"step_ms_p50", run.step_ms_p50},
                    {"step_ms_p90", run.step_ms_p90},
                    {"peak_bytes", run.peak_bytes},
                    {"communication_ms", run.communication_ms},
                    {"exposed_comm_ms", run.exposed_ms},
                    {"idle_share", run.idle_share},
                    {"ratio_to_sparse_dist", ratio(report, run)},
                    {"bitwise_equal_to_sequential", run.is_equal},
                    {"stale", std::move(stale)},
                    {"simulated_ms", run.simulated.step_ms},
                    {"simulated_exposed_ms", run.simulated.exposed_ms},
                    {"critical_path_ms", run.simulated.critical_path_ms}});
  }
  double critical_path_ms = 0;  // of the exact schedules, the least
  for (const lab::SparseRun& run : report.runs)
    if (run.stale_steps == 0 && (critical_path_ms == 0 || run.simulated.critical_path_ms < critical_path_ms))
      critical_path_ms = run.simulated.critical_path_ms;
  json cases = json::array();
  for (const lab::SparseCase& one : report.cases)
    cases.push_back({{"case", one.name},
                     {"schedule", one.schedule},
                     {"bitwise_equal_to_sequential", one.is_equal},
                     {"told", one.told}});
  std::cout << json{{"rows", std::move(rows)},
                    {"sequential_ms", report.sequential_ms},
                    {"bound_ms", report.bound_ms},
                    {"critical_path_ms", critical_path_ms},
                    {"cases", std::move(cases)}}
                   .dump()
            << std::endl;
}

void print_table(const lab::SparseReport& report, const lab::SparseOptions& options) {
  std::cout << fmt::format("{} tables of {} x {} ({}), {} devices, {} samples on each, a link of {} us and {} GB/s\n",
                           options.tables, options.rows, options.width, format_bytes(report.table_bytes),
                           options.devices, options.batch, options.latency_us, options.link_gb)
            << fmt::format(
                   "one step after the other: {:.1f} ms; computation or communication alone, whichever is longer: "
                   "{:.1f} ms\n\n",
                   report.sequential_ms, report.bound_ms)
            << fmt::format("{:<19}{:>9}{:>9}{:>15}{:>10}{:>8}{:>12}  {}\n", "schedule", "p50 ms", "p90 ms",
                           "to sparse_dist", "exposed", "idle", "peak", "bits");
  for (const lab::SparseRun& run : report.runs)
    std::cout << fmt::format("{:<19}{:>9.1f}{:>9.1f}{:>15.3f}{:>7.1f} ms{:>7.1f}%{:>12}  {}\n", run.schedule,
                             run.step_ms_p50, run.step_ms_p90, ratio(report, run), run.exposed_ms, 100 * run.idle_share,
                             format_bytes(run.peak_bytes),
                             run.stale_steps > 0 ? fmt::format("tables lack {} update", run.stale_steps)
                             : run.is_equal      ? "those of one step after the other"
                                                 : "DIFFERENT");
  for (const lab::SparseRun& run : report.runs) {
    if (!run.told.empty()) std::cout << '\n' << run.schedule << ", " << run.told;
    std::cout << fmt::format("  predicted: a step takes {:.1f} ms; in no order less than {:.1f} ms:\n{}",
                             run.simulated.step_ms, run.simulated.critical_path_ms, run.simulated.gantt);
  }
  std::cout << "\nwhere pipelines that are written by hand lose steps, or train with values that are out of date:\n";
  for (const lab::SparseCase& one : report.cases)
    std::cout << fmt::format("  {} ({}): {}\n    {}\n", one.name, one.schedule,
                             one.is_equal ? "the bits of one step after the other" : "DIFFERENT",
                             one.told.substr(0, one.told.find('\n')));
  if (!options.output.empty()) std::cout << "\nprofiles: " << options.output.string() << "/*/report.html\n";
  std::cout << std::flush;
}

void run_sparse(const lab::SparseOptions& options, bool json) {
  train::Progress progress("steps", 0, lab::sparse_step_count(options),
                           train::Progress::standard_error(train::Progress::rarely));
  std::int64_t steps = 0;
  Interrupt interrupt;
  interrupt.hurry();
  const lab::SparseReport report = lab::measure_sparse(options, [&](const std::string& schedule) {
    if (interrupt) throw Stopped{128 + interrupt.signal()};
    progress.update(++steps, [&] { return schedule; });
  });
  json ? print_json(report) : print_table(report, options);
  // A schedule that claims to be exact and is not would be a defect of weft.
  for (const lab::SparseRun& run : report.runs)
    require(run.stale_steps > 0 || run.is_equal, "lab sparse: ", run.schedule,
            " gave other bits than one step after the other");
  for (const lab::SparseCase& one : report.cases)
    require(one.is_equal, "lab sparse: ", one.name, ": ", one.schedule,
            " gave other bits than one step after the other");
}

}  // namespace

void add_lab_sparse(CLI::App& lab) {
  CLI::App& command =
      *lab.add_subcommand("sparse", "Compare schedules of a training step with embedding tables on several devices");
  const auto options = std::make_shared<lab::SparseOptions>();
  const auto size = std::make_shared<std::string>("small");
  const auto json = std::make_shared<bool>(false);
  CLI::Option* const size_option =
      command
          .add_option("--size", *size,
                      "small, or full: the sizes of TorchRec's benchmark, 41 GB of tables and as much state")
          ->check(CLI::IsMember({"small", "full"}));
  const auto chosen = std::make_shared<lab::SparseOptions>();
  std::vector<CLI::Option*> sizes;
  const auto add = [&](const char* flag, std::int64_t lab::SparseOptions::* member, const char* help,
                       IntegerRange range) {
    sizes.push_back(add_integer(command, flag, (*chosen).*member, help, range));
  };
  add("--devices", &lab::SparseOptions::devices, "devices, in this process", {2, 64});
  add("--tables", &lab::SparseOptions::tables, "tables; half of them have weights for their ids", {2, 1 << 12});
  add("--rows", &lab::SparseOptions::rows, "rows of a table", {1, std::int64_t{1} << 31});
  add("--width", &lab::SparseOptions::width, "columns of a table", {1, 1 << 16});
  add("--batch", &lab::SparseOptions::batch, "samples on each device", {1, 1 << 20});
  add("--ids", &lab::SparseOptions::ids, "ids of a bag, on average", {1, 1 << 16});
  add("--hidden", &lab::SparseOptions::hidden, "width of the dense layers", {1, 1 << 16});
  add("--layers", &lab::SparseOptions::layers, "dense layers", {1, 1000});
  add("--steps", &lab::SparseOptions::steps, "steps that are measured for each schedule", {2, 1'000'000});
  add_real(command, "--link-gb", chosen->link_gb, "GB/s between the devices: collectives wait as long",
           RealRange::positive);
  add_real(command, "--latency-us", chosen->latency_us, "microseconds before a collective carries anything",
           RealRange::not_negative);
  const auto output = std::make_shared<std::string>();
  add_text(command, "--output", *output, "a folder",
           "Keep a profile of each schedule in this folder; its page draws the schedule");
  command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  command.callback([options, chosen, size, json, output, size_option, sizes] {
    *options = *chosen;
    if (size_option->count() > 0 && *size == "full") {
      for (const CLI::Option* one : sizes)
        if (one->count() > 0) throw CLI::ValidationError("--size full sets all sizes: leave out " + one->get_name());
      *options = lab::SparseOptions::full();
      options->link_gb = chosen->link_gb;
      options->latency_us = chosen->latency_us;
    }
    options->output = *output;
    run_sparse(*options, *json);
  });
}

}  // namespace weft::cli
