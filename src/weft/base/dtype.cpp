#include <weft/base/dtype.h>

#include <algorithm>
#include <iterator>
#include <ostream>

namespace weft {

namespace {
constexpr std::string_view names[] = {
    "i1",     "i8",     "i16",           "i32",      "i64",        "ui8",      "ui16",       "ui32",
    "ui64",   "f16",    "bf16",          "f32",      "f64",        "f4E2M1FN", "f6E2M3FN",   "f6E3M2FN",
    "f8E3M4", "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU",
    "i2",     "i4",     "ui2",           "ui4",      "token"};
static_assert(std::size(names) == static_cast<std::size_t>(DType::token) + 1);
}  // namespace

std::string_view name(DType t) { return names[static_cast<int>(t)]; }

std::optional<DType> parse_dtype(std::string_view text) {
  const auto* found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names) || text == name(DType::token)) return std::nullopt;  // a token is not an element type
  return static_cast<DType>(found - names);
}

std::ostream& operator<<(std::ostream& out, DType t) { return out << name(t); }

DType promote(DType a, DType b) {
  if (a > b) std::swap(a, b);  // the enumeration is ordered boolean, signed, unsigned, float
  if (a == b || a == DType::boolean) return b;
  if (is_narrow(a) || is_narrow(b)) return promote(rule_dtype(a), rule_dtype(b));
  if (is_float(b)) {
    if (!is_float(a)) return b;
    return a == DType::f16 && b == DType::bf16 ? DType::f32 : b;
  }
  if (is_signed_integer(a) && is_unsigned_integer(b)) {
    if (byte_size(a) > byte_size(b)) return a;
    if (b == DType::u64) return DType::f32;
    return static_cast<DType>(static_cast<int>(DType::i16) + static_cast<int>(b) - static_cast<int>(DType::u8));
  }
  return b;
}

}  // namespace weft
