#include <weft/runtime/devices.h>

#include <charconv>
#include <map>
#include <memory>
#include <mutex>

#include <weft/base/error.h>
#include <weft/base/knobs.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/cuda/cuda_device.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::runtime {

namespace {

// Returns a GPU's device. It is never destroyed: work that nobody waits for may still run when the process ends.
Device& gpu_device(int ordinal) {
  static std::mutex mutex;
  static auto* const devices = new std::map<int, std::unique_ptr<CudaDevice>>;
  const std::lock_guard lock(mutex);
  auto& device = (*devices)[ordinal];
  if (!device) device = std::make_unique<CudaDevice>(ordinal, DeviceOptions::from_knobs());
  return *device;
}

}  // namespace

std::optional<int> parse_device(std::string_view name) {
  if (name == "cpu") return std::nullopt;
  if (name == "cuda") return 0;
  constexpr std::string_view prefix = "cuda:";
  int ordinal = -1;
  const char* const end = name.data() + name.size();
  const bool is_cuda = name.starts_with(prefix);
  const auto parsed = is_cuda ? std::from_chars(name.data() + prefix.size(), end, ordinal) : std::from_chars_result{};
  require(is_cuda && parsed.ec == std::errc() && parsed.ptr == end && ordinal >= 0, "device: '", name,
          "' is not a device: use cpu, cuda, or cuda:N for GPU number N");
  return ordinal;
}

void require_device(std::string_view name) {
  if (const auto ordinal = parse_device(name)) (void)cuda::gpu(*ordinal);
}

Device& device_named(std::string_view name) {
  const auto ordinal = parse_device(name);
  return ordinal ? gpu_device(*ordinal) : cpu();
}

Device& default_device() {
  static Device& device = device_named(knobs::device());
  return device;
}

}  // namespace weft::runtime
