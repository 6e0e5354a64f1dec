#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

const Target& code_target(const Unit& unit, const Target& target) {
  if (!target.is_gpu) return target;
  const HandwrittenThunk* const thunk = unit.handwritten();
  const bool is_on_gpu = unit.kernels() || (thunk && std::ranges::any_of(thunk->routines, [](const auto& routine) {
                           return std::holds_alternative<const AttentionKernel*>(routine->source);
                         }));
  return is_on_gpu ? target : target.of_thunks();
}

}  // namespace weft::compiler
