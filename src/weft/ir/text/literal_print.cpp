#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/ir/text/literal.h>

namespace weft::ir::text {

namespace {

void append_hexadecimal(std::string& out, std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789ABCDEF";
  out += "\"0x";
  for (const std::byte b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  out += '"';
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Appends the number's digits with a decimal point, as MLIR requires.
void append_with_point(std::string& out, std::string_view digits) {
  const auto exponent = std::min(digits.find('e'), digits.size());
  out += digits.substr(0, exponent);
  if (digits.find('.') == digits.npos) out += ".0";
  out += digits.substr(exponent);
}

template <class T>
void append_real(std::string& out, T value) {
  const double wide = value;
  if (!std::isfinite(wide)) {  // writes the bits, most significant byte first
    out += "0x";
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    for (std::size_t i = sizeof(T); i-- > 0;) {
      constexpr char digits[] = "0123456789ABCDEF";
      out += digits[static_cast<unsigned>(bytes[i]) >> 4];
      out += digits[static_cast<unsigned>(bytes[i]) & 15];
    }
    return;
  }
  char buffer[64];
  constexpr int digits = 6;
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, wide, std::chars_format::scientific, digits).ptr;
  double back = 0;
  std::from_chars(buffer, end, back);
  if (!same_bits(static_cast<T>(back), value)) {
    if constexpr (std::is_same_v<T, float>) {
      end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    } else {
      end = std::to_chars(buffer, buffer + sizeof buffer, wide).ptr;
    }
  }
  append_with_point(out, {buffer, static_cast<std::size_t>(end - buffer)});
}

template <class T>
void append_element(std::string& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (is_integer(dtype_of<T>)) {
    out += std::to_string(+value);
  } else {
    append_real(out, value);
  }
}

template <class T>
void append_list(std::string& out, const Literal& literal, int dim, std::int64_t& at) {
  if (dim == literal.type.rank()) return append_element(out, literal.at<T>(at++));
  out += '[';
  for (std::int64_t i = 0; i < literal.type.size(dim); ++i) {
    if (i > 0) out += ", ";
    append_list<T>(out, literal, dim + 1, at);
  }
  out += ']';
}

}  // namespace

void print_element(std::string& out, const Literal& literal, std::int64_t i) {
  visit_any(literal.type.dtype(), [&](auto tag) { append_element(out, literal.at<decltype(tag)>(i)); });
}

void print_dense(std::string& out, const Literal& literal) {
  constexpr std::int64_t longest_list = 100;
  out += "dense<";
  const std::int64_t count = literal.type.elements();
  visit_any(literal.type.dtype(), [&](auto tag) {
    using T = decltype(tag);
    std::int64_t at = 0;
    if (literal.is_splat())
      append_element(out, literal.at<T>(0));
    else if (count > longest_list && !std::is_same_v<T, bool>)
      append_hexadecimal(out, literal.bytes);
    else if (count > 0)
      append_list<T>(out, literal, 0, at);
  });
  out += "> : ";
  out += concat(literal.type);
}

}  // namespace weft::ir::text
