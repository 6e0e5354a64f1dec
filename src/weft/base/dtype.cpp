#include <weft/base/dtype.h>

#include <algorithm>
#include <ostream>

namespace weft {

namespace {
constexpr std::string_view names[dtype_count] = {"i1",   "i8",   "i16", "i32",  "i64", "ui8", "ui16",
                                                 "ui32", "ui64", "f16", "bf16", "f32", "f64"};
}

std::string_view name(DType t) { return names[static_cast<int>(t)]; }

std::optional<DType> parse_dtype(std::string_view text) {
  const auto* found = std::find(std::begin(names), std::end(names), text);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<DType>(found - names);
}

std::ostream& operator<<(std::ostream& out, DType t) { return out << name(t); }

DType promote(DType a, DType b) {
  if (a > b) std::swap(a, b);  // the enumeration is ordered boolean, signed, unsigned, float
  if (a == b || a == DType::boolean) return b;
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
