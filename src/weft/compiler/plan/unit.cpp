#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

const Target& code_target(const Unit& unit, const Target& target) {
  return target.is_gpu && unit.kernels() ? target : target.of_thunks();
}

}  // namespace weft::compiler
