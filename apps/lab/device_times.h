// Measures the operations of the program that one device of a mesh runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <apps/lab/vit_step.h>
#include <weft/runtime/buffer.h>
#include <weft/runtime/device.h>
#include <weft/runtime/executable.h>

namespace weft::lab {

struct DeviceTimes {
  // The bounds of the quickest tenth of the steps, and, by the name of the thunk, of its runs: other programs disturbed these the least.
  double step_ms = 0;
  std::unordered_map<std::string, double> us;
  double memory_bytes_per_s = 0;  // that this machine copies
};

// Runs steps of a program that is compiled to run alone (compiler::Options::stands_for), each on the results of the one before, on a device
// for which the inputs are made.
class DeviceSteps {
 public:
  // Numbers have their values; other inputs get small values of no meaning.
  DeviceSteps(std::shared_ptr<const runtime::Executable> executable, const RecordedStep& step, runtime::Device& on);
  // Launches a step, and waits for its loss.
  void run();

 private:
  const std::shared_ptr<const runtime::Executable> executable_;
  const RecordedStep& step_;
  runtime::Device& on_;
  std::vector<runtime::BufferPtr> inputs_;
};

DeviceTimes measure_device(const std::shared_ptr<const runtime::Executable>& executable, const RecordedStep& step,
                           std::int64_t steps);

}  // namespace weft::lab
