#include <weft/compiler/codegen/cuda/assemble.h>

#include <array>
#include <cstdint>

#include <weft/base/error.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>

namespace weft::compiler {

namespace {

using runtime::cuda::CUlinkState;
using runtime::cuda::Gpu;

// Returns a GPU whose own machine code the target means; null if there is none.
const Gpu* gpu_of(const Target& target) {
  const auto& gpus = runtime::cuda::find_gpus();
  if (!gpus) return nullptr;
  for (const Gpu& gpu : *gpus) {
    const std::string name = concat("sm_", gpu.major, gpu.minor);
    if (target.name == name || target.name == name + "a") return &gpu;
  }
  return nullptr;
}

}  // namespace

// The driver's linker, unlike its loader, assembles on several threads at once.
std::string assembled(std::string ptx, const Target& target) {
  const Gpu* const gpu = gpu_of(target);
  if (!gpu) return ptx;
  const runtime::cuda::Current current(gpu->ordinal);
  const runtime::cuda::Driver& driver = runtime::cuda::driver();
  constexpr int error_log_buffer = 5, error_log_buffer_bytes = 6, input_is_ptx = 1;  // values of the driver
  std::array<char, 8192> log{};
  std::array<int, 2> options = {error_log_buffer, error_log_buffer_bytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(std::uintptr_t{log.size() - 1})};
  CUlinkState link = nullptr;
  runtime::cuda::check(driver.cuLinkCreate(options.size(), options.data(), values.data(), &link), "cuLinkCreate");
  void* cubin = nullptr;
  std::size_t bytes = 0;
  int result = driver.cuLinkAddData(link, input_is_ptx, ptx.data(), ptx.size() + 1, "kernel", 0, nullptr, nullptr);
  if (result == runtime::cuda::success) result = driver.cuLinkComplete(link, &cubin, &bytes);
  std::string code =
      result == runtime::cuda::success ? std::string(static_cast<const char*>(cubin), bytes) : std::string();
  driver.cuLinkDestroy(link);
  if (code.empty()) throw InternalError(concat("cuda: the driver does not assemble a generated kernel: ", log.data()));
  return code;
}

}  // namespace weft::compiler
