// The kinds of device there are, for the tests that each of them must pass.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weft/runtime/device.h>

namespace weft::runtime::testing {

struct DeviceKind {
  std::string name;
  std::function<std::unique_ptr<Device>(DeviceOptions)> make;
  bool computes = true;  // false: it runs no thunk, and every output is zeros

  friend void PrintTo(const DeviceKind& kind, std::ostream* out) { *out << kind.name; }
};

inline std::vector<DeviceKind> device_kinds() {
  return {{.name = "cpu", .make = [](DeviceOptions options) { return std::make_unique<Device>(options); }},
          {.name = "simulated",
           .make =
               [](DeviceOptions options) {
                 options.simulated = true;
                 return std::make_unique<Device>(options);
               },
           .computes = false}};
}

}  // namespace weft::runtime::testing
