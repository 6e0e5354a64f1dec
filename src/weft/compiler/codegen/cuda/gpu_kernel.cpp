#include <weft/compiler/codegen/cuda/gpu_kernel.h>

#include <weft/base/error.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/cuda/work_queue.h>

namespace weft::compiler {

std::string gpu_function(const std::string& name, GpuForm form) {
  switch (form) {
    case GpuForm::elements: return name + "_elements";
    case GpuForm::vectors: return name + "_vectors";
    case GpuForm::whole_rows: return name + "_whole_rows";
    case GpuForm::whole_rows_of_2: return name + "_whole_rows_of_2";
    case GpuForm::whole_rows_of_3: return name + "_whole_rows_of_3";
    case GpuForm::whole_rows_of_4: return name + "_whole_rows_of_4";
    case GpuForm::kept_rows: return name + "_kept_rows";
    case GpuForm::tiles: return name + "_tiles";
  }
  return name;
}

runtime::cuda::CUfunction CudaKernel::load(int ordinal, GpuForm form, std::uint32_t shared_bytes) const {
  require(ordinal < most_gpus, "cuda: kernels run on the first ", most_gpus, " GPUs, and this is GPU ", ordinal);
  auto& function = functions_[ordinal][static_cast<std::size_t>(form)];
  if (const auto loaded = function.load(std::memory_order_acquire)) return loaded;
  const std::lock_guard lock(mutex_);
  auto& module = modules_[ordinal];
  if (!module) module = std::make_unique<const runtime::cuda::Module>(ordinal, *image_);
  const runtime::cuda::CUfunction found = module->function(gpu_function(name_, form));
  // A kernel must ask for more than 48 KiB of shared memory. Only one that keeps rows asks for other sizes in later launches.
  const int most = form == GpuForm::kept_rows ? most_kept_bytes + (8 << 10) : static_cast<int>(shared_bytes);
  if (most > 48 << 10) {
    constexpr int most_shared_bytes = 8;  // an attribute of a function
    const runtime::cuda::Current current(ordinal);
    runtime::cuda::check(runtime::cuda::driver().cuFuncSetAttribute(found, most_shared_bytes, most),
                         "cuFuncSetAttribute");
  }
  function.store(found, std::memory_order_release);
  return function;
}

void CudaKernel::launch(const GpuGrid& grid, void** arguments, const runtime::Launch& launch) const {
  const auto& queue = runtime::cuda::WorkQueue::of(launch);
  runtime::cuda::check(runtime::cuda::driver().cuLaunchKernel(
                           load(queue.ordinal, grid.form, grid.shared_bytes), grid.blocks_x, grid.blocks_y, 1,
                           grid.threads_x, grid.threads_y, 1, grid.shared_bytes, queue.stream, arguments, nullptr),
                       "cuLaunchKernel");
}

}  // namespace weft::compiler
