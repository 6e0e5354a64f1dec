// The two 16-bit floating-point formats as storage types: IEEE binary16 and bfloat16 (the upper half of binary32).
// Arithmetic is done in float or double; conversion rounds to nearest, ties to even, and keeps NaN a NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace weft {

namespace detail {

// Rounds a double, once, to a binary format with `mantissa` explicit bits and `exponent` bits.
constexpr std::uint16_t round_to_16(double value, int mantissa, int exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 63) << 15);
  const int bias = (1 << (exponent - 1)) - 1;
  const auto infinity = static_cast<std::uint16_t>(((1 << exponent) - 1) << mantissa);
  const int biased = (bits >> 52) & 0x7ff;
  std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased == 0x7ff) return sign | infinity | (fraction ? static_cast<std::uint16_t>(1 << (mantissa - 1)) : 0);
  int e = biased - 1023 + bias;  // the exponent field of the result if it is normal
  if (biased == 0 || e < -mantissa) return sign;
  fraction |= std::uint64_t{1} << 52;
  int shift = 52 - mantissa;
  if (e <= 0) {  // subnormal result
    shift += 1 - e;
    e = 0;
  }
  std::uint64_t kept = fraction >> shift;
  const std::uint64_t rest = fraction & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (kept & 1))) ++kept;
  // A carry out of the mantissa moves into the exponent field by itself, up to infinity.
  const std::uint64_t field = e == 0 ? kept : ((static_cast<std::uint64_t>(e) - 1) << mantissa) + kept;
  return sign | (field >= infinity ? infinity : static_cast<std::uint16_t>(field));
}

constexpr double widen_16(std::uint16_t bits, int mantissa, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1;
  const int e = (bits >> mantissa) & ((1 << exponent) - 1);
  const std::uint64_t fraction = bits & ((1u << mantissa) - 1);
  const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 15) << 63;
  if (e == (1 << exponent) - 1)
    return std::bit_cast<double>(sign | (std::uint64_t{0x7ff} << 52) | (fraction << (52 - mantissa)));
  if (e == 0) {  // zero or subnormal: fraction * 2^(1 - bias - mantissa)
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1 - bias - mantissa + 1023) << 52);
    const double magnitude = static_cast<double>(fraction) * scale;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<double>(sign | (static_cast<std::uint64_t>(e - bias + 1023) << 52) |
                               (fraction << (52 - mantissa)));
}

}  // namespace detail

template <int Mantissa, int Exponent>
struct Float16 {
  std::uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr explicit Float16(double value) : bits(detail::round_to_16(value, Mantissa, Exponent)) {}
  constexpr operator double() const { return detail::widen_16(bits, Mantissa, Exponent); }
  static constexpr Float16 from_bits(std::uint16_t bits) {
    Float16 result;
    result.bits = bits;
    return result;
  }
};

using float16 = Float16<10, 5>;
using bfloat16 = Float16<7, 8>;
static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2);

}  // namespace weft
