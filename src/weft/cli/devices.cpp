// weft devices: lists what can compute on this machine, and why a GPU cannot.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <weft/base/json.h>
#include <weft/base/knobs.h>
#include <weft/base/process.h>
#include <weft/cli/command_line.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::cli {

namespace {

using runtime::cuda::Gpu;

void print_devices() {
  std::cout << "cpu     " << usable_cpus() << " CPUs, " << format_bytes(available_memory()) << " of memory available\n";
  const auto& gpus = runtime::cuda::find_gpus();
  if (!gpus) {
    std::cout << "no GPU: " << gpus.reason() << '\n';
    return;
  }
  for (const Gpu& gpu : *gpus)
    std::cout << "cuda:" << gpu.ordinal << "  " << gpu.name << ", compute capability " << gpu.major << '.' << gpu.minor
              << ", " << gpu.multiprocessors << " multiprocessors, " << format_bytes(gpu.memory_bytes)
              << " of memory\n";
  std::cout << "driver  CUDA " << runtime::cuda::version_text(runtime::cuda::driver().version) << " ("
            << knobs::cuda_driver() << ")\n";
}

void print_devices_json() {
  nlohmann::ordered_json all;
  all["cpu"] = {{"cpus", usable_cpus()}, {"available_bytes", available_memory()}};
  all["gpus"] = nlohmann::ordered_json::array();
  if (const auto& gpus = runtime::cuda::find_gpus()) {
    for (const Gpu& gpu : *gpus)
      all["gpus"].push_back({{"device", "cuda:" + std::to_string(gpu.ordinal)},
                             {"name", gpu.name},
                             {"compute_capability", {gpu.major, gpu.minor}},
                             {"multiprocessors", gpu.multiprocessors},
                             {"memory_bytes", gpu.memory_bytes}});
    all["driver"] = {{"cuda", runtime::cuda::version_text(runtime::cuda::driver().version)},
                     {"library", knobs::cuda_driver()}};
  } else {
    all["no_gpu"] = gpus.reason();
  }
  std::cout << print_json(all) << std::endl;
}

}  // namespace

void add_devices(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("devices", "List what can compute on this machine, and why a GPU cannot");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "print one JSON object on the standard output, and nothing else");
  command.callback([json] { *json ? print_devices_json() : print_devices(); });
}

}  // namespace weft::cli
