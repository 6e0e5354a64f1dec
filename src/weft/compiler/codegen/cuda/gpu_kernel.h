// The code of one generated kernel for GPUs, with a function for each form (loop/gpu_grid.h). It is loaded on a GPU when it is first
// needed there. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <weft/compiler/loop/gpu_grid.h>
#include <weft/runtime/cuda/module.h>

namespace weft::compiler {

class GpuKernel {
 public:
  // `image`, PTX or a cubin, has the functions gpu_function(name, form).
  GpuKernel(std::shared_ptr<const std::string> image, std::string name)
      : image_(std::move(image)), name_(std::move(name)) {}

  // Loads the function of a form on a GPU, unless it is there. Throws Error with what the driver says.
  void load(int ordinal, GpuForm form) const;
  // Returns the function, which load() has loaded.
  runtime::cuda::CUfunction function(int ordinal, GpuForm form) const {
    return functions_[ordinal][static_cast<std::size_t>(form)].load(std::memory_order_acquire);
  }

  static constexpr int most_gpus = 16;

 private:
  std::shared_ptr<const std::string> image_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<const runtime::cuda::Module>, most_gpus> modules_;
  mutable std::array<std::array<std::atomic<runtime::cuda::CUfunction>, gpu_form_count>, most_gpus> functions_{};
};

// Returns the name of the function of a form.
std::string gpu_function(const std::string& name, GpuForm form);

}  // namespace weft::compiler
