#include <weft/record/place_text.h>

#include <weft/base/error.h>

namespace weft::record {

std::string place_text(const ir::Location& location) {
  if (location.line == 0) return {};
  std::string text = concat(location.file, ':', location.line);
  if (*location.scope) text += concat(" in ", location.scope);
  return text;
}

}  // namespace weft::record
