// The GPUs that the NVIDIA driver lists, and their contexts. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <weft/base/status.h>
#include <weft/runtime/cuda/driver.h>

namespace weft::runtime::cuda {

struct Gpu {
  int ordinal = 0;  // the driver's number, from 0 on
  std::string name;
  int major = 0, minor = 0;  // the compute capability: 9 and 0 for Hopper
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;  // in all
};

// The GPUs that this process may use, at least one, or the reason why there is none.
const Result<std::vector<Gpu>>& find_gpus();
// Throws Error with the reason if there is no such GPU.
const Gpu& gpu(int ordinal);

// Returns the newest target whose code the GPU runs, among those that compilers know: sm_80 or sm_90. Throws Error for older GPUs.
std::string target_of(const Gpu& gpu);

// Returns the primary context of a GPU, which libraries of NVIDIA share with weft. It is made at the first call and lives until the
// process ends. Throws Error if there is no such GPU or it cannot be used.
CUcontext primary_context(int ordinal);

// Makes a GPU the one that calls of the driver on this thread refer to, for the lifetime of this object. Cheap if it is already.
class Current {
 public:
  explicit Current(int ordinal);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  CUcontext before_ = nullptr;
  bool has_changed_ = false;
};

// Calls `release`, which gives something of a GPU back, with the GPU current. Does nothing once the process ends, and ignores errors: a
// GPU that failed keeps everything until then.
void release_on(int ordinal, const std::function<void(const Driver& driver)>& release) noexcept;

}  // namespace weft::runtime::cuda
