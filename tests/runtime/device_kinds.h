// The kinds of devices, for the tests that every kind must pass.
#pragma once

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <tests/runtime/cuda/false_driver.h>
#include <tests/runtime/remote_device.h>
#include <vector>

#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/cuda/cuda_device.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/simulated/simulated_device.h>

namespace weft::runtime {

struct DeviceKind {
  std::string name;
  std::function<std::unique_ptr<Device>(DeviceOptions)> make;
  bool computes = true;  // false: it runs no thunks, and every output is zeros

  friend void PrintTo(const DeviceKind& kind, std::ostream* out) { *out << kind.name; }
};

inline std::vector<DeviceKind> device_kinds() {
  std::vector<DeviceKind> kinds = {
      {.name = "cpu", .make = [](DeviceOptions options) { return std::make_unique<CpuDevice>(options); }},
      {.name = "simulated",
       .make = [](DeviceOptions options) { return std::make_unique<SimulatedDevice>(Simulation{}, options); },
       .computes = false},
      {.name = "remote", .make = [](DeviceOptions options) { return std::make_unique<RemoteDevice>(options); }}};
  // A GPU that the false driver pretends, or a real one.
  const bool is_false = cuda::use_false_driver();
  if (const auto& gpus = cuda::find_gpus()) {
    kinds.push_back({.name = is_false ? "false_gpu" : "gpu",
                     .make = [](DeviceOptions options) { return std::make_unique<CudaDevice>(0, options); }});
  } else {
    std::cerr << "no test runs on a GPU: " << gpus.reason() << '\n';
  }
  return kinds;
}

}  // namespace weft::runtime
