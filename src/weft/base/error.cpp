#include <weft/base/error.h>

#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace weft::detail {

void append_printed(std::string& text, void (*print)(std::ostream& out, const void* part), const void* part) {
  std::ostringstream out;
  print(out, part);
  text += out.view();
}

void append_number(std::string& text, double number) { fmt::format_to(std::back_inserter(text), "{:g}", number); }

void append_pointer(std::string& text, const void* pointer) { fmt::format_to(std::back_inserter(text), "{}", pointer); }

void assertion_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(concat("internal error: ", message.empty() ? "" : message + ": ", condition, " is false at ",
                             file, ":", line, "; please report it"));
}

}  // namespace weft::detail
