#include <weft/ir/annotations.h>

#include <algorithm>

namespace weft::ir {

std::vector<bool> donated_arguments(const FunctionAnnotations& function) {
  const auto gives = [](const Annotation& a) { return a.name == "tf.aliasing_output" || a.name == "jax.buffer_donor"; };
  std::vector<bool> donated;
  for (const Annotations& argument : function.arguments) donated.push_back(std::ranges::any_of(argument, gives));
  return donated;
}

}  // namespace weft::ir
