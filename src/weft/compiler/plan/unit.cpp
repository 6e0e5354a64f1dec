#include <weft/compiler/plan/unit.h>

#include <algorithm>

#include <weft/compiler/loop/gpu_grid.h>

namespace weft::compiler {

const Target& code_target(const Unit& unit, const Target& target) {
  const GeneratedKernels* const kernels = unit.kernels();
  const bool is_on_gpu = target.is_gpu && kernels &&
                         std::ranges::all_of(kernels->loops, [](const auto& loop) { return has_gpu_code(*loop); });
  return is_on_gpu ? target : target.of_thunks();
}

}  // namespace weft::compiler
