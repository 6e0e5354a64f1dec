#include <weft/compiler/loop/while_kernel.h>

#include <weft/ir/text/text.h>

namespace weft::compiler {

std::string WhileKernel::key() const {
  std::string key = contract ? "while " : "while strict ";
  for (const bool memory : in_memory) key += memory ? 'm' : 'r';
  return key + ir::print(*condition.graph) + ir::print(*body.graph);
}

}  // namespace weft::compiler
