// Errors. `require` reports a mistake of the caller and throws weft::Error at the call that made it; WEFT_ASSERT reports a
// mistake in weft and throws weft::InternalError. Nothing aborts the process. A message starts with the name of the public
// function:
//   require(a.rank() == 2, "matmul: expected rank 2, got ", a.type());
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft {

// A mistake of the caller, or in the bytes passed to weft; what() is one line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A request that is valid, but that weft does not support. `feature` names it: stablehlo.fft, complex, dynamic shapes.
class UnsupportedError : public Error {
 public:
  UnsupportedError(const std::string& message, std::string feature) : Error(message), feature_(std::move(feature)) {}
  const std::string& feature() const { return feature_; }

 private:
  std::string feature_;
};

// A bug in weft: please report it.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {
// Appends what print(out, part) writes.
void append_printed(std::string& text, void (*print)(std::ostream& out, const void* part), const void* part);
void append_number(std::string& text, double number);
void append_pointer(std::string& text, const void* pointer);

// Appends a part in the form in which an ostream prints it.
template <class Part>
void append(std::string& text, const Part& part) {
  if constexpr (std::is_same_v<Part, char> || std::is_same_v<Part, signed char> ||
                std::is_same_v<Part, unsigned char>) {
    text += static_cast<char>(part);
  } else if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    text += std::string_view(part);
  } else if constexpr (std::is_same_v<Part, bool>) {
    text += part ? '1' : '0';
  } else if constexpr (std::is_integral_v<Part>) {
    std::array<char, 24> digits;
    text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), part).ptr);
  } else if constexpr (std::is_floating_point_v<Part>) {
    append_number(text, part);
  } else if constexpr (std::is_pointer_v<Part> || std::is_same_v<Part, std::nullptr_t>) {
    append_pointer(text, part);
  } else {
    append_printed(text, [](std::ostream& out, const void* of) { out << *static_cast<const Part*>(of); }, &part);
  }
}
}  // namespace detail

// Returns the concatenation of the parts in the form in which an ostream prints them.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (detail::append(text, parts), ...);
  return text;
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(parts...);
}

namespace detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& message);
}

}  // namespace weft

#define WEFT_ASSERT(condition, ...)                                                                  \
  do {                                                                                               \
    if (!(condition)) [[unlikely]]                                                                   \
      ::weft::detail::assertion_failed(#condition, __FILE__, __LINE__, ::weft::concat(__VA_ARGS__)); \
  } while (false)
