// weft lab: repeats published experiments with weft.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <apps/lab/overlap.h>
#include <apps/lab/recompile.h>
#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/base/knobs.h>
#include <weft/cli/command_line.h>
#include <weft/cli/device_option.h>
#include <weft/cli/options.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

template <class... Values>
void print_line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  std::cout << text << '\n';
}

void print_report_json(const lab::OverlapReport& report) {
  nlohmann::ordered_json root{{"nodes", report.nodes}, {"bars", nlohmann::json::array()}};
  for (const lab::OverlapBar& bar : report.bars)
    root["bars"].push_back({{"name", bar.name},
                            {"gap_us_p50", bar.gap_us_p50},
                            {"gap_us_p99", bar.gap_us_p99},
                            {"record_us", bar.record_us},
                            {"sync_us", bar.sync_us},
                            {"wait_us", bar.wait_us},
                            {"steps_per_s", bar.steps_per_s}});
  root["gap_by_nodes"] = nlohmann::json::array();
  for (const auto& [nodes, gap_us] : report.gap_by_nodes)
    root["gap_by_nodes"].push_back({{"nodes", nodes}, {"gap_us", gap_us}});
  root["steady_state_over_max_host_device"] = report.steady_state_over_max_host_device;
  std::cout << print_json(root) << std::endl;
}

void print_table(const lab::OverlapReport& report, const lab::OverlapOptions& options) {
  print_line("%s; %llu nodes a step", report.workload.c_str(), static_cast<unsigned long long>(report.nodes));
  if (options.simulate_us > 0) {
    print_line("a simulated device, %g us a launch: the same in every run", options.simulate_us);
  } else if (const std::string device = knobs::device(); device != "cpu") {
    print_line("%s", device.c_str());
  } else {
    print_line("the CPU, %lld threads for the device", static_cast<long long>(options.device_threads));
  }
  print_line("\n%-20s%12s%12s%12s%12s%12s%10s", "", "gap p50 us", "gap p99 us", "record us", "sync us", "wait us",
             "steps/s");
  double widest = 1e-9;
  for (const lab::OverlapBar& bar : report.bars) widest = std::max(widest, bar.gap_us_p50);
  for (const lab::OverlapBar& bar : report.bars)
    print_line("%-20s%12.1f%12.1f%12.1f%12.1f%12.1f%10.2f  %s", bar.name.c_str(), bar.gap_us_p50, bar.gap_us_p99,
               bar.record_us, bar.sync_us, bar.wait_us, bar.steps_per_s,
               std::string(40 * bar.gap_us_p50 / widest, '#').c_str());
  if (!report.gap_by_nodes.empty()) print_line("\nlogical-ids, whatever the size of the graph:");
  for (const auto& [nodes, gap_us] : report.gap_by_nodes)
    print_line("%12llu nodes%12.1f us", static_cast<unsigned long long>(nodes), gap_us);
  print_line("\nits step: %.3f of the longer of host (%.1f us) and device (%.1f us)",
             report.steady_state_over_max_host_device, report.host_us, report.device_us);
}

void add_overlap(CLI::App& lab) {
  CLI::App& command = *lab.add_subcommand(
      "overlap", "Measure how long the device waits for the host between two steps, for four orders of a sync");
  const auto options = std::make_shared<lab::OverlapOptions>();
  const auto json = std::make_shared<bool>(false);
  command.add_option("--model", options->model, "bert-base, bert-large or mlp")
      ->check(CLI::IsMember({"bert-base", "bert-large", "mlp"}))
      ->type_name("NAME");
  add_integer(command, "--width", options->width, "width of the model; 0: 16 per head, because only the graph matters",
              {0, 1 << 14});
  add_integer(command, "--batch", options->batch, "samples per step", {1, 1 << 20});
  add_integer(command, "--tokens", options->tokens, "tokens per sample", {1, 512});
  add_integer(command, "--steps", options->steps, "steps measured for each figure", {2, 1'000'000});
  add_device(command);
  add_integer(command, "--device-threads", options->device_threads,
              "threads that run kernels; leave a core for the host", {1, 4096});
  add_real(command, "--simulate-us", options->simulate_us,
           "use a simulated device whose launches take this many microseconds; 0: use --device",
           RealRange::not_negative);
  command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  command.callback([options, json] {
    const lab::OverlapReport report = lab::measure_overlap(*options);
    *json ? print_report_json(report) : print_table(report, *options);
  });
}

using Loop = lab::RecompileReport::Loop;

nlohmann::ordered_json before_and_after(const Loop& before, const Loop& after) {
  return {{"before_steps_per_s", before.steps_per_s},
          {"after_steps_per_s", after.steps_per_s},
          {"before_compiles", before.compiles},
          {"after_compiles", after.compiles}};
}

void print_report_json(const lab::RecompileReport& report) {
  const nlohmann::ordered_json root{{"train", before_and_after(report.train_before, report.train_after)},
                                    {"eval", before_and_after(report.eval_before, report.eval_after)},
                                    {"hints", report.hints}};
  std::cout << print_json(root) << std::endl;
}

void print_table(const lab::RecompileReport& report) {
  const auto print = [](const char* name, const Loop& before, const Loop& after) {
    print_line("%-12s%14.1f%10llu%14.1f%10llu  %s", name, before.steps_per_s,
               static_cast<unsigned long long>(before.compiles), after.steps_per_s,
               static_cast<unsigned long long>(after.compiles),
               lab::change_of_speed(before.steps_per_s, after.steps_per_s).c_str());
  };
  print_line("%-12s%14s%10s%14s%10s", "", "before: st/s", "compiles", "after: st/s", "compiles");
  print("training", report.train_before, report.train_after);
  print("evaluation", report.eval_before, report.eval_after);
  if (!report.hints.empty()) print_line("\nhints for the loops before the remedies:");
  for (const std::string& hint : report.hints) std::cout << "  " << hint << '\n';
}

void add_recompile(CLI::App& lab) {
  CLI::App& command = *lab.add_subcommand(
      "recompile",
      "A branch on a value in training and a report that grows in evaluation, before and after the remedies");
  const auto options = std::make_shared<lab::RecompileOptions>();
  const auto json = std::make_shared<bool>(false);
  add_integer(command, "--train-steps", options->train_steps, "steps of each training loop", {1, 1'000'000});
  add_device(command);
  add_integer(command, "--eval-steps", options->eval_steps, "steps of each evaluation loop", {1, 1'000'000});
  command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  command.callback([options, json] {
    std::optional<train::Progress> progress;  // of the loop that currently runs
    const lab::RecompileReport report =
        lab::measure_recompile(*options, [&](const std::string& loop, std::int64_t steps, std::int64_t of) {
          if (steps == 0)
            progress.emplace(loop, 0, of, train::Progress::standard_error(train::Progress::rarely));
          else
            progress->update(steps, [] { return std::string("steps"); });
        });
    progress.reset();
    *json ? print_report_json(report) : print_table(report);
  });
}

}  // namespace

void add_lab(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("lab", "Repeat published experiments with weft");
  command.require_subcommand(1);
  add_overlap(command);
  add_recompile(command);
  add_lab_captioner(command);
  add_lab_mesh(command);
  add_lab_sparse(command);
}

}  // namespace weft::cli
