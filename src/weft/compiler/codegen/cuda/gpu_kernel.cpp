#include <weft/compiler/codegen/cuda/gpu_kernel.h>

#include <weft/base/error.h>

namespace weft::compiler {

std::string gpu_function(const std::string& name, GpuForm form) {
  switch (form) {
    case GpuForm::elements: return name + "_elements";
    case GpuForm::vectors: return name + "_vectors";
    case GpuForm::whole_rows: return name + "_whole_rows";
    case GpuForm::whole_rows_4: return name + "_whole_rows_4";
  }
  return name;
}

void GpuKernel::load(int ordinal, GpuForm form) const {
  require(ordinal < most_gpus, "cuda: kernels run on the first ", most_gpus, " GPUs, and this is GPU ", ordinal);
  if (function(ordinal, form)) return;
  const std::lock_guard lock(mutex_);
  auto& loaded = modules_[ordinal];
  if (!loaded) loaded = std::make_unique<const runtime::cuda::Module>(ordinal, *image_);
  functions_[ordinal][static_cast<std::size_t>(form)].store(loaded->function(gpu_function(name_, form)),
                                                            std::memory_order_release);
}

}  // namespace weft::compiler
