// The code of one generated kernel for GPUs, with a function for each form (loop/gpu_grid.h). Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <weft/compiler/loop/gpu_grid.h>
#include <weft/runtime/cuda/module.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

class GpuKernel {
 public:
  virtual ~GpuKernel() = default;
  // Runs the function of the grid's form, or passes it to the launch's queue. `arguments` has the address of each argument. Throws Error if
  // the GPU refuses the code or the launch.
  virtual void launch(const GpuGrid& grid, void** arguments, const runtime::Launch& launch) const = 0;
};

// The code for an NVIDIA GPU, which is loaded there when it is first needed.
class CudaKernel final : public GpuKernel {
 public:
  // `image` has the functions gpu_function(name, form).
  CudaKernel(std::shared_ptr<const std::string> image, std::string name)
      : image_(std::move(image)), name_(std::move(name)) {}
  void launch(const GpuGrid& grid, void** arguments, const runtime::Launch& launch) const override;

 private:
  static constexpr int most_gpus = 16;

  runtime::cuda::CUfunction load(int ordinal, GpuForm form, std::uint32_t shared_bytes) const;

  std::shared_ptr<const std::string> image_;
  std::string name_;
  mutable std::mutex mutex_;
  mutable std::array<std::unique_ptr<const runtime::cuda::Module>, most_gpus> modules_;
  mutable std::array<std::array<std::atomic<runtime::cuda::CUfunction>, gpu_form_count>, most_gpus> functions_{};
};

// Returns the name of the function of a form.
std::string gpu_function(const std::string& name, GpuForm form);

}  // namespace weft::compiler
