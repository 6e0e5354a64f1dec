#include <weft/runtime/cuda/gpus.h>

#include <array>
#include <mutex>

#include <weft/base/error.h>

namespace weft::runtime::cuda {

namespace {

CUdevice device_of(int ordinal) {
  CUdevice device = 0;
  check(driver().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  return device;
}

int attribute(CUdevice device, int which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

Gpu describe(int ordinal) {
  const CUdevice device = device_of(ordinal);
  std::array<char, 256> name{};
  check(driver().cuDeviceGetName(name.data(), name.size() - 1, device), "cuDeviceGetName");
  std::size_t bytes = 0;
  check(driver().cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem");
  return {.ordinal = ordinal,
          .name = name.data(),
          .major = attribute(device, compute_capability_major),
          .minor = attribute(device, compute_capability_minor),
          .multiprocessors = attribute(device, multiprocessor_count),
          .memory_bytes = bytes};
}

Result<std::vector<Gpu>> list_gpus() {
  if (!find_driver()) return find_driver().status();
  try {
    int count = 0;
    check(driver().cuDeviceGetCount(&count), "cuDeviceGetCount");
    if (count == 0)
      return Status::failed(
          "the NVIDIA driver lists no GPU that this process may use: see CUDA_VISIBLE_DEVICES and nvidia-smi");
    std::vector<Gpu> gpus;
    for (int ordinal = 0; ordinal < count; ++ordinal) gpus.push_back(describe(ordinal));
    return gpus;
  } catch (const Error& error) {
    return Status::failed(error.what());
  }
}

struct PrimaryContext {
  std::once_flag once;
  CUcontext context = nullptr;
};

}  // namespace

const Result<std::vector<Gpu>>& find_gpus() {
  static const auto* const found = new Result<std::vector<Gpu>>(list_gpus());  // never destroyed: see Driver
  return *found;
}

const Gpu& gpu(int ordinal) {
  const Result<std::vector<Gpu>>& gpus = find_gpus();
  if (!gpus) fail("a GPU cannot be used: ", gpus.reason(), "; to run on the CPU, use --device cpu, or WEFT_DEVICE=cpu");
  require(ordinal >= 0 && ordinal < std::ssize(*gpus), "there is no GPU ", ordinal, ": this process may use ",
          gpus->size(), ", counted from 0; weft devices lists them");
  return (*gpus)[ordinal];
}

std::string target_of(const Gpu& gpu) {
  require(gpu.major >= 8, "cuda: ", gpu.name, " has compute capability ", gpu.major, '.', gpu.minor,
          "; programs need 8.0 (Ampere) or newer");
  return gpu.major >= 9 ? "sm_90" : "sm_80";
}

CUcontext primary_context(int ordinal) {
  static auto* const contexts = new std::vector<PrimaryContext>(find_gpus() ? find_gpus()->size() : 0);
  gpu(ordinal);
  PrimaryContext& of_gpu = (*contexts)[ordinal];
  std::call_once(of_gpu.once, [&] {
    check(driver().cuDevicePrimaryCtxRetain(&of_gpu.context, device_of(ordinal)), "cuDevicePrimaryCtxRetain");
  });
  return of_gpu.context;
}

Current::Current(int ordinal) {
  const CUcontext context = primary_context(ordinal);
  driver().cuCtxGetCurrent(&before_);
  if (before_ == context) return;
  check(driver().cuCtxSetCurrent(context), "cuCtxSetCurrent");
  has_changed_ = true;
}

Current::~Current() {
  if (has_changed_) driver().cuCtxSetCurrent(before_);
}

void release_on(int ordinal, const std::function<void(const Driver& driver)>& release) noexcept {
  if (process_ends()) return;
  try {
    const Current current(ordinal);
    release(driver());
  } catch (const Error&) {
    return;
  }
}

}  // namespace weft::runtime::cuda
