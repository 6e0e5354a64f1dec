#include <weft/ir/element_text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace weft::ir {

namespace {

std::string format(double value, std::chars_format form, int precision) {
  char text[64];
  return {text, std::to_chars(text, std::end(text), value, form, precision).ptr};
}

// Scientific notation with the fewest digits that read back as the same element.
template <class T>
std::string shortest(T value) {
  const double wide = value;
  std::string text;
  for (int decimals = 0; decimals < std::numeric_limits<double>::max_digits10; ++decimals) {
    text = format(wide, std::chars_format::scientific, decimals);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (convert_element<T>(back) == wide) break;
  }
  return text;
}

// Fixed notation, unless the number is very large or very small.
template <class T>
std::string float_text(T value) {
  const double wide = value;
  if (!std::isfinite(wide)) return std::isnan(wide) ? "nan" : wide > 0 ? "inf" : "-inf";
  const std::string text = shortest(value);
  const std::size_t e = text.find('e'), point = text.find('.');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -5 || exponent > 15) return text;
  const int decimals = point == text.npos ? 0 : e - point - 1;
  return format(wide, std::chars_format::fixed, std::max(0, decimals - exponent));
}

}  // namespace

std::string element_text(const Array& array, std::int64_t i) {
  return visit_any(array.dtype(), [&]<class T>(T) -> std::string {
    const T value = array.data<T>()[i];
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (is_float_type<T>) {
      return float_text(value);
    } else {
      return std::to_string(+value);
    }
  });
}

}  // namespace weft::ir
