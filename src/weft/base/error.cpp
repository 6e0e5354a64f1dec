#include <weft/base/error.h>

namespace weft::detail {

void assertion_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(concat("internal error: ", message.empty() ? "" : message + ": ", condition, " is false at ",
                             file, ":", line, "; please report it"));
}

}  // namespace weft::detail
