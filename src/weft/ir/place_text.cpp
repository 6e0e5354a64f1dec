#include <weft/ir/place_text.h>

#include <weft/base/error.h>

namespace weft::ir {

std::string place_text(const Location& location) {
  if (location.line == 0) return {};
  std::string text = concat(location.file, ':', location.line);
  if (*location.scope) text += concat(" in ", location.scope);
  return text;
}

std::string input_name(const Graph& graph, std::size_t index) {
  const bool has_name = index < graph.input_names.size() && !graph.input_names[index].empty();
  return has_name ? graph.input_names[index] : concat("input ", index);
}

std::string dim_name(const Graph& graph, std::size_t input, int dim) {
  return concat(input_name(graph, input), " dim ", dim);
}

}  // namespace weft::ir
