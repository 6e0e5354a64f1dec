// weft lab mesh: options, table and JSON.
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <apps/lab/mesh.h>
#include <weft/base/error.h>
#include <weft/cli/command_line.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/lab_mesh_simulation.h>
#include <weft/cli/options.h>
#include <weft/profile/collectives.h>
#include <weft/profile/table.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

struct MeshCommandOptions : lab::MeshOptions {
  std::string folder;
  std::int64_t top = 10;
  bool json = false;
  std::vector<std::int64_t> simulated, compared;  // numbers of devices
  double link_gb = 50, latency_us = 5;
  std::string link_of;  // a profile
};

// Returns the figures of one run that tell what communication costs.
nlohmann::ordered_json communication_json(const lab::MeshRun& run) {
  return {{"batch", run.batch},
          {"step_ms", run.step_ms()},
          {"all_reduce_share", run.collective_share()},
          {"exposed_share", run.exposed_share()},
          {"communication_ms", run.communication_ms()},
          {"bytes_per_device", run.sent_bytes},
          {"collectives", run.collectives}};
}

void print_mesh_json(const lab::MeshReport& report, const MeshCommandOptions& options) {
  using json = nlohmann::ordered_json;
  json runs = json::array();
  for (const lab::MeshRun& run : report.runs) {
    json stats = profile::ops_json(run.recording, run.analysis);
    json ops = json::array();
    for (std::size_t i = 0; i < std::min(stats["ops"].size(), static_cast<std::size_t>(options.top)); ++i)
      ops.push_back(std::move(stats["ops"][i]));
    runs.push_back(communication_json(run));
    runs.back().update({{"steps", run.analysis.steps.size()},
                        {"compile_s", run.compile_s},
                        {"first_step_s", run.first_step_s},
                        {"images_per_s", run.images_per_s()},
                        {"loss", run.loss},
                        {"device", std::move(stats["device"])},
                        {"ops", std::move(ops)}});
    const profile::OpStats* const fusion = run.largest_fusion();
    runs.back()["largest_fusion"] =
        fusion ? json{{"name", "%" + fusion->name}, {"share", fusion->share}, {"shape", run.shape_of(*fusion)}}
               : json();
  }
  json variants = json::array();
  for (const auto& [variant, run] : report.variants) {
    variants.push_back({{"name", variant.name}});
    variants.back().update(communication_json(run));
  }
  const std::optional<double> crossover = report.crossover_batch();
  std::cout << json{{"model", "vit-cifar"},
                    {"parameters", report.parameters},
                    {"devices", options.devices},
                    {"runs", std::move(runs)},
                    {"crossover_batch", crossover ? json(*crossover) : json()},
                    {"variants", std::move(variants)}}
                   .dump(-1, ' ', false, json::error_handler_t::replace)
            << std::endl;
}

void print_mesh_table(const lab::MeshReport& report, const MeshCommandOptions& options) {
  std::cout << fmt::format(
      "ViT-CIFAR, {} parameters, f32, Adam, {} device{}\n\n{:>8}{:>12}{:>12}{:>12}{:>14}{:>14}{:>10}\n",
      report.parameters, options.devices, options.devices == 1 ? "" : "s", "batch", "step ms", "images/s", "compile s",
      "first step s", "collectives", "exposed");
  for (const lab::MeshRun& run : report.runs)
    std::cout << fmt::format("{:8}{:12.1f}{:12.1f}{:12.3f}{:14.2f}{:13.1f}%{:9.1f}%\n", run.batch, run.step_ms(),
                             run.images_per_s(), run.compile_s, run.first_step_s, 100 * run.collective_share(),
                             100 * run.exposed_share());
  for (const auto& [variant, run] : report.variants)
    std::cout << fmt::format("batch {}, {}: {:.1f} ms a step, {} collectives take {:.1f} ms, {:.1f}% of it exposed\n",
                             run.batch, variant.name, run.step_ms(), run.collectives, run.communication_ms(),
                             100 * run.exposed_share());
  if (const auto batch = report.crossover_batch())
    std::cout << fmt::format("from a batch of {:.0f} on, the backward pass takes longer than the communication\n",
                             std::ceil(*batch));
  if (!report.runs.empty() && !report.runs.front().division.empty())
    std::cout << "each step on " << report.runs.front().division << '\n';
  if (!report.runs.empty())
    for (const std::string& joined : report.runs.front().joined) std::cout << joined << '\n';
  for (const lab::MeshRun& run : report.runs) {
    std::cout << fmt::format("\nbatch {}\n", run.batch) << profile::op_table(run.analysis, options.top);
    if (const profile::OpStats* const fusion = run.largest_fusion())
      std::cout << fmt::format("largest fusion: {:.1f}% %{} {}\n", 100 * fusion->share, fusion->name,
                               run.shape_of(*fusion));
  }
  if (!options.folder.empty()) std::cout << "\nprofiles: " << options.folder << "/batch-*/report.html\n";
  std::cout << std::flush;
}

void run_mesh(MeshCommandOptions& options) {
  options.output = options.folder;
  const std::int64_t steps_each = options.steps + 2;
  const std::size_t runs = options.batches.size() + (options.variants ? lab::variant_count() : 0);
  train::Progress progress("steps", 0, steps_each * static_cast<std::int64_t>(runs),
                           train::Progress::standard_error(train::Progress::rarely));
  std::int64_t steps = 0;
  Interrupt interrupt;
  interrupt.hurry();
  const lab::MeshReport report = lab::measure_mesh(options, [&](std::int64_t batch, std::int64_t step, double ms) {
    if (interrupt) throw Stopped{128 + interrupt.signal()};
    progress.update(++steps, [&] {
      return step == 0 ? fmt::format("batch {}, compiled and first step, {:.0f} ms", batch, ms)
                       : fmt::format("batch {}, {:.0f} ms", batch, ms);
    });
  });
  options.json ? print_mesh_json(report, options) : print_mesh_table(report, options);
}

compiler::Link link_of(const MeshCommandOptions& options) {
  compiler::Link link{.latency_us = options.latency_us, .gb_s = options.link_gb, .leaves_cpus = true};
  if (options.link_of.empty()) return link;
  const profile::Recording recording = profile::read_recording(options.link_of);
  const auto fit = profile::fit_link(recording, profile::analyse(recording));
  require(fit.has_value(), "lab mesh: the profile ", options.link_of,
          " does not tell the speed of a link: it needs collectives that send different amounts; give --link-gb and "
          "--latency-us");
  link.latency_us = fit->latency_us;
  link.gb_s = fit->gb_s;
  return link;
}

void run_simulation(const MeshCommandOptions& options) {
  if (options.batches.size() > 1) throw CLI::ValidationError("--simulate takes one --batch, the images on each device");
  run_mesh_simulation({.devices = options.simulated,
                       .batch = options.batches.front(),
                       .steps = options.steps,
                       .link = link_of(options),
                       .measured = options.compared},
                      options.json);
}

}  // namespace

void add_lab_mesh(CLI::App& lab) {
  CLI::App& command =
      *lab.add_subcommand("mesh", "Show the time of each operation in a ViT's training step, by batch size");
  const auto options = std::make_shared<MeshCommandOptions>();
  add_integer(command, "--devices", options->devices, "devices of the mesh", {1, 1 << 20});
  CLI::Option* const batch =
      command
          .add_option("--batch", options->batches, "images per step; several values are measured one after the other")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 16))
          ->capture_default_str();
  command.add_flag(
      "--variants", options->variants,
      "Measure the last batch size also without overlap, with ZeRO-1, and with tensor parallelism of the whole "
      "batch and of its halves");
  add_integer(command, "--steps", options->steps, "steps measured for each batch size", {1, 1'000'000});
  add_integer(command, "--top", options->top, "operations to print", {0, 100'000});
  add_text(command, "--output", options->folder, "a folder",
           "Keep the profiles in this folder; default: they are not kept");
  command.add_flag("--json", options->json, "print one JSON object on the standard output, and nothing else");
  const auto device_counts = [&](const char* name, std::vector<std::int64_t>& to, const char* help) {
    return command.add_option(name, to, help)->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20));
  };
  CLI::Option* const simulate = device_counts(
      "--simulate", options->simulated,
      "Predict instead the step on meshes of this many devices, with --batch images on each, for data parallelism, "
      "ZeRO and "
      "tensor parallelism: operations take what they take here, collectives what --link-gb and --latency-us say");
  device_counts("--compare", options->compared,
                "With --simulate: predict the step also for this many devices on this machine, and measure it")
      ->needs(simulate);
  add_real(command, "--link-gb", options->link_gb, "with --simulate: GB/s between the devices", RealRange::positive);
  add_real(command, "--latency-us", options->latency_us,
           "with --simulate: microseconds before a collective carries anything", RealRange::not_negative);
  add_text(
      command, "--link-of", options->link_of, "a folder",
      "with --simulate: a link as fast as the collectives of this profile were, instead of --link-gb and --latency-us");
  command.callback([options, simulate, batch] {
    if (simulate->count() == 0) return run_mesh(*options);
    if (batch->count() == 0) options->batches.resize(1);
    run_simulation(*options);
  });
}

}  // namespace weft::cli
