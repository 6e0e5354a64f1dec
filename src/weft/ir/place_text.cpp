#include <weft/ir/place_text.h>

#include <weft/base/error.h>

namespace weft::ir {

std::string place_text(const Location& location) {
  if (location.line == 0) return {};
  std::string text = concat(location.file, ':', location.line);
  if (*location.scope) text += concat(" in ", location.scope);
  return text;
}

}  // namespace weft::ir
