#include <weft/cli/lab_mesh_simulation.h>

#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <apps/lab/mesh_layout.h>
#include <weft/base/process.h>
#include <weft/cli/command_line.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/options.h>
#include <weft/train/progress.h>

namespace weft::cli {

namespace {

using nlohmann::ordered_json;

ordered_json figures_json(const lab::StepFigures& figures) {
  return {{"step_ms", figures.step_ms},
          {"communication_ms", figures.communication_ms},
          {"exposed_ms", figures.exposed_ms},
          {"exposed_share", figures.exposed_share()}};
}

ordered_json step_json(const lab::SimulatedStep& step) {
  return {{"layout", step.layout},
          {"mesh", step.mesh},
          {"devices", step.devices},
          {"batch", step.batch},
          {"compile_s", step.compile_s},
          {"predicted", figures_json(step.predicted)},
          {"collectives", step.collectives},
          {"bytes_per_device", step.sent_bytes},
          {"state_bytes", step.state_bytes},
          {"formula_bytes", step.formula_bytes < 0 ? ordered_json() : ordered_json(step.formula_bytes)},
          {"peak_bytes", step.peak_bytes}};
}

void print_simulation_json(const lab::SimulationReport& report, const lab::SimulationOptions& options) {
  ordered_json steps = ordered_json::array(), compared = ordered_json::array();
  for (const lab::SimulatedStep& step : report.steps) steps.push_back(step_json(step));
  for (const lab::ComparedStep& step : report.compared) {
    compared.push_back(step_json(step.simulated));
    compared.back()["measured"] = figures_json(step.measured);
    compared.back()["residual"] = step.residual();
  }
  std::cout << ordered_json{{"model", "vit-cifar"},
                            {"parameters", report.parameters},
                            {"batch_per_device", options.batch},
                            {"link", {{"latency_us", options.link.latency_us}, {"gb_s", options.link.gb_s}}},
                            {"steps", std::move(steps)},
                            {"compared", std::move(compared)}}
                   .dump(-1, ' ', false, ordered_json::error_handler_t::replace)
            << std::endl;
}

void print_simulation(const lab::SimulationReport& report, const lab::SimulationOptions& options) {
  std::cout << fmt::format(
      "ViT-CIFAR, {} parameters, f32, Adam, {} image{} per device; a link of {} GB/s, {} us between the devices\n",
      report.parameters, options.batch, options.batch == 1 ? "" : "s", options.link.gb_s, options.link.latency_us);
  if (!report.steps.empty())
    std::cout << fmt::format(
        "\npredicted, each device on a machine like this one\n{:16} {:22}{:>10}{:>12}{:>12}{:>9}{:>6}{:>12}"
        "{:>12}{:>12}{:>12}{:>11}\n",
        "layout", "mesh", "step ms", "images/s", "communic ms", "exposed", "ops", "sends", "state", "by formula",
        "peak", "compile s");
  for (const lab::SimulatedStep& step : report.steps)
    std::cout << fmt::format(
        "{:16} {:22}{:10.1f}{:12.0f}{:12.2f}{:8.1f}%{:6}{:>12}{:>12}{:>12}{:>12}{:11.2f}\n", step.layout, step.mesh,
        step.predicted.step_ms, 1e3 * static_cast<double>(step.batch) / step.predicted.step_ms,
        step.predicted.communication_ms, 100 * step.predicted.exposed_share(), step.collectives,
        format_bytes(step.sent_bytes), format_bytes(step.state_bytes),
        step.formula_bytes < 0 ? "" : format_bytes(step.formula_bytes), format_bytes(step.peak_bytes), step.compile_s);
  if (!report.compared.empty())
    std::cout << fmt::format(
        "\nall devices on this machine, whose collectives wait for such a link\n{:16} {:22}{:>14}{:>14}"
        "{:>10}{:>14}{:>14}{:>14}{:>14}\n",
        "layout", "mesh", "predicted ms", "measured ms", "residual", "comm. pred.", "comm. meas.", "exposed pred.",
        "exposed meas.");
  for (const lab::ComparedStep& step : report.compared)
    std::cout << fmt::format("{:16} {:22}{:14.1f}{:14.1f}{:9.1f}%{:14.1f}{:14.1f}{:14.1f}{:14.1f}\n",
                             step.simulated.layout, step.simulated.mesh, step.simulated.predicted.step_ms,
                             step.measured.step_ms, 100 * step.residual(), step.simulated.predicted.communication_ms,
                             step.measured.communication_ms, step.simulated.predicted.exposed_ms,
                             step.measured.exposed_ms);
  std::cout << std::flush;
}

}  // namespace

void run_mesh_simulation(const lab::SimulationOptions& options, bool json) {
  const std::size_t layouts = lab::simulated_layouts().size();
  std::size_t runs = layouts * options.devices.size();
  for (const std::int64_t devices : options.measured) runs += devices == 1 ? 1 : layouts;
  train::Progress progress("layouts", 0, static_cast<std::int64_t>(runs),
                           train::Progress::standard_error(train::Progress::rarely));
  std::int64_t done = 0;
  Interrupt interrupt;
  interrupt.hurry();
  const lab::SimulationReport report = lab::simulate_mesh(options, [&](const std::string& what) {
    if (interrupt) throw Stopped{128 + interrupt.signal()};
    progress.update(++done, [&] { return what; });
  });
  json ? print_simulation_json(report, options) : print_simulation(report, options);
}

}  // namespace weft::cli
