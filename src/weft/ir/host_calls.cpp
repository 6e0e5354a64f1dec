#include <weft/ir/host_calls.h>

#include <charconv>

#include <weft/base/error.h>
#include <weft/ir/host_function.h>
#include <weft/ir/ops.h>

namespace weft::ir {

int batch_dims(std::string_view backend_config) {
  const std::string before = concat('{', batch_dims_of_call, " = ");
  int number = 0;
  if (backend_config.starts_with(before))
    std::from_chars(backend_config.data() + before.size(), backend_config.data() + backend_config.size(), number);
  return number;
}

void require_host_functions(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->op == &ops::custom_call) {
      const std::string_view target = node->attributes<CustomCallAttributes>().target;
      const std::string place =
          node->location.line == 0 ? "" : concat(node->location.file, ':', node->location.line, ": ");
      if (!find_host_function(target))
        throw UnsupportedError(concat(place, no_host_function(target)), concat("custom_call @", target));
    }
    for (const Graph* region : node->regions) require_host_functions(*region);
  }
}

}  // namespace weft::ir
