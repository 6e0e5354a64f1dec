#include <weft/base/error.h>

#include <sstream>

namespace weft::detail {

void append_printed(std::string& text, void (*print)(std::ostream& out, const void* part), const void* part) {
  std::ostringstream out;
  print(out, part);
  text += out.view();
}

void append_number(std::string& text, double number) {
  append_printed(text, [](std::ostream& out, const void* of) { out << *static_cast<const double*>(of); }, &number);
}

void append_pointer(std::string& text, const void* pointer) {
  append_printed(
      text, [](std::ostream& out, const void* of) { out << *static_cast<const void* const*>(of); }, &pointer);
}

void assertion_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(concat("internal error: ", message.empty() ? "" : message + ": ", condition, " is false at ",
                             file, ":", line, "; please report it"));
}

}  // namespace weft::detail
