#include <weft/ir/annotations.h>

#include <algorithm>
#include <set>

#include <weft/ir/graph.h>

namespace weft::ir {

std::vector<bool> donated_inputs(const Graph& function) {
  std::vector<bool> donated(function.inputs().size());
  if (!function.annotations) return donated;
  const std::vector<Annotations>& arguments = function.annotations->arguments;
  std::multiset<std::int64_t> left;  // the bytes of the outputs
  for (const Value output : function.outputs()) left.insert(output.type().bytes());
  const auto take = [&](std::int64_t bytes) {
    const auto found = left.find(bytes);
    const bool is_left = found != left.end();
    if (is_left) left.erase(found);
    return is_left;
  };
  const auto has = [&](std::size_t i, std::string_view name) {
    return i < arguments.size() && std::ranges::count(arguments[i], name, &Annotation::name) > 0;
  };
  for (std::size_t i = 0; i < donated.size(); ++i)
    if (has(i, "tf.aliasing_output")) {
      donated[i] = true;
      take(function.inputs()[i].type().bytes());
    }
  for (std::size_t i = 0; i < donated.size(); ++i)
    if (!donated[i] && has(i, "jax.buffer_donor")) donated[i] = take(function.inputs()[i].type().bytes());
  return donated;
}

}  // namespace weft::ir
