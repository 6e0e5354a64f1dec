// weft lab captioner: options, tables and JSON.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <apps/lab/captioner.h>
#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/cli/command_line.h>
#include <weft/cli/device_option.h>
#include <weft/cli/interrupt.h>
#include <weft/cli/options.h>
#include <weft/runtime/parallel.h>

namespace weft::cli {

namespace {

struct CaptionerCommandOptions {
  std::string size = "small", data = "random", dtype = "f32", table;
  std::vector<std::string> rows;
  std::int64_t batch = 0, warm_up = 20, steps = 50, train_steps = -1, threads = 0;
  bool json = false, kept_kernels = false;
};

void print_captioner_json(const lab::CaptionerReport& report, const captioner::CaptionerConfig& given) {
  using json = nlohmann::ordered_json;
  const auto number = [](const std::optional<double>& value) { return value ? json(*value) : json(); };
  json rows = json::array();
  for (const lab::CaptionerRow& row : report.rows)
    rows.push_back({{"table", row.table},
                    {"name", row.name},
                    {"steps_per_s", number(row.steps_per_s)},
                    {"ratio", number(row.ratio)},
                    {"recompiles_in_window", row.recompiles_in_window},
                    {"first_steps_s", row.first_steps_s},
                    {"lengths", row.lengths}});
  json config;
  captioner::CaptionerConfig::fields(given,
                                     [&](const char* name, const auto& value, const char*) { config[name] = value; });
  json compile_s, guard_us_per_call, guarded_tensors;
  if (const auto& seconds = report.compile_s)
    compile_s = {{"cold", seconds->cold},
                 {"cached", seconds->cached},
                 {"layers_2", seconds->layers_2},
                 {"layers_12", seconds->layers_12}};
  if (report.guards) guard_us_per_call = report.guards->us_per_call, guarded_tensors = report.guards->tensors;
  const json root{{"rows", rows},
                  {"config", config},
                  {"guard_us_per_call", guard_us_per_call},
                  {"guarded_tensors", guarded_tensors},
                  {"compile_s", compile_s},
                  {"caption_accuracy", number(report.caption_accuracy)}};
  std::cout << print_json(root) << std::endl;
}

std::string rate_text(const std::optional<double>& value) { return value ? fmt::format("{:.2f}", *value) : "-"; }

void print_captioner_tables(const lab::CaptionerReport& report) {
  std::string table;
  for (const lab::CaptionerRow& row : report.rows) {
    if (row.table != table)
      std::cout << fmt::format("{}{:<38}{:>10}{:>8}{:>12}{:>15}\n", table.empty() ? "" : "\n", row.table + " shapes",
                               "steps/s", "ratio", "recompiles", "first steps s");
    table = row.table;
    std::cout << fmt::format("{:<38}{:>10}{:>8}{:>12}{:>15.2f}\n", row.name, rate_text(row.steps_per_s),
                             rate_text(row.ratio), row.recompiles_in_window, row.first_steps_s);
  }
  if (const auto& guards = report.guards)
    std::cout << fmt::format("\nguards of {} tensors: {:.2f} us a call\n", guards->tensors, guards->us_per_call);
  if (const auto& seconds = report.compile_s)
    std::cout << fmt::format(
        "compiling the whole step: {:.2f} s cold, {:.2f} s cached; 2 layers {:.2f} s, 12 layers {:.2f} s\n",
        seconds->cold, seconds->cached, seconds->layers_2, seconds->layers_12);
  if (report.caption_accuracy)
    std::cout << fmt::format("held-out captions that are right after training on shapes: {:.1f} %\n",
                             100 * *report.caption_accuracy);
  std::cout << std::flush;
}

lab::CaptionerOptions captioner_options(const CaptionerCommandOptions& given) {
  lab::CaptionerOptions options{.config = captioner::captioner_preset(given.size, given.data)->config,
                                .warm_up = given.warm_up,
                                .steps = given.steps,
                                .table = given.table,
                                .rows = given.rows,
                                .uses_kept_kernels = given.kept_kernels};
  options.config.dtype = given.dtype;
  options.train_steps =
      given.train_steps >= 0 ? given.train_steps : captioner::captioner_preset("small", "shapes")->steps;
  constexpr std::int64_t small_batch = 16;  // takes minutes on two cores
  options.config.batch = given.batch > 0 ? given.batch : given.size == "small" ? small_batch : options.config.batch;
  return options;
}

}  // namespace

void add_lab_captioner(CLI::App& lab) {
  CLI::App& command = *lab.add_subcommand(
      "captioner", "A captioner's training step in the ways of compile(): static shapes, dynamic shapes, warm-up");
  const auto given = std::make_shared<CaptionerCommandOptions>();
  const auto choice = [&](const char* flag, std::string& value, const char* help, std::vector<std::string> of) {
    command.add_option(flag, value, help)->check(CLI::IsMember(std::move(of)))->type_name("NAME");
  };
  choice("--size", given->size, "small, or full: ViT-base with GPT-2, takes hours on a few cores; default: small",
         {"small", "full"});
  choice("--data", given->data, "random (as in the article) or shapes; default: random", {"random", "shapes"});
  choice("--dtype", given->dtype, "f32 or bf16; default: f32", {"f32", "bf16"});
  choice("--table", given->table, "measure only this table; default: all", {"static", "dynamic", "warmup"});
  command
      .add_option("--row", given->rows,
                  "measure only the row with this name, and no compile times; may be repeated; default: all")
      ->type_name("NAME");
  add_integer(command, "--batch", given->batch, "samples per step; default: 16 for small, 64 for full", {1, 1 << 16});
  add_integer(command, "--warm-up", given->warm_up, "steps before the timed ones; default: 20", {1, 1'000'000});
  add_integer(command, "--steps", given->steps, "timed steps; default: 50", {1, 1'000'000});
  add_integer(command, "--train-steps", given->train_steps,
              "training steps on small shapes, to measure the accuracy of the captions; 0: none; default: as in weft "
              "train captioner",
              {0, 1'000'000});
  add_device(command);
  add_integer(command, "--threads", given->threads, "threads of kernels", {1, 4096});
  command.add_flag("--kept-kernels", given->kept_kernels,
                   "use the kernels on disk (WEFT_CACHE_DIR), and add to them, instead of an empty cache; measures no "
                   "compile times");
  command.add_flag("--json", given->json, "print one JSON object on the standard output, and nothing else");
  command.callback([given] {
    if (given->threads > 0) runtime::set_thread_count(given->threads);
    const lab::CaptionerOptions options = captioner_options(*given);
    Interrupt interrupt;
    interrupt.hurry();
    const lab::CaptionerReport report = lab::measure_captioner(
        options, [](const std::string& what) { std::cerr << what << std::endl; },
        [&] { return static_cast<bool>(interrupt); });
    given->json ? print_captioner_json(report, options.config) : print_captioner_tables(report);
    if (interrupt) throw Stopped{128 + interrupt.signal()};
  });
}

}  // namespace weft::cli
