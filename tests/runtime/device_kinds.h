// The kinds of devices, for the tests that every kind must pass.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tests/runtime/remote_device.h>
#include <vector>

#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/simulated/simulated_device.h>

namespace weft::runtime {

struct DeviceKind {
  std::string name;
  std::function<std::unique_ptr<Device>(DeviceOptions)> make;
  bool computes = true;  // false: it runs no thunks, and every output is zeros

  friend void PrintTo(const DeviceKind& kind, std::ostream* out) { *out << kind.name; }
};

inline std::vector<DeviceKind> device_kinds() {
  return {{.name = "cpu", .make = [](DeviceOptions options) { return std::make_unique<CpuDevice>(options); }},
          {.name = "simulated",
           .make = [](DeviceOptions options) { return std::make_unique<SimulatedDevice>(Simulation{}, options); },
           .computes = false},
          {.name = "remote", .make = [](DeviceOptions options) { return std::make_unique<RemoteDevice>(options); }}};
}

}  // namespace weft::runtime
