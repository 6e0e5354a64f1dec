#include <weft/base/narrow.h>

#include <cmath>
#include <limits>

namespace weft {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Rounds to E8M0: returns the exponent field of the nearest power of two; half-way between two, that of the even exponent.
std::uint8_t to_power(double value, const NarrowFormat& format) {
  constexpr std::uint8_t not_a_number = 0xff;
  if (!(value >= 0) || std::isinf(value)) return not_a_number;
  if (value == 0) return 0;
  int exponent = std::ilogb(value);
  const double rest = std::ldexp(value, -exponent);  // in [1, 2)
  if (rest > 1.5 || (rest == 1.5 && (exponent + format.bias) % 2 != 0)) ++exponent;
  return exponent > format.bias ? not_a_number : std::max(0, exponent + format.bias);
}

}  // namespace

std::uint8_t to_narrow(double value, const NarrowFormat& f) {
  if (f.specials == NarrowSpecials::powers) return to_power(value, f);
  const int ones = (1 << (f.exponent + f.mantissa)) - 1, sign_bit = ones + 1;
  const int infinity = ((1 << f.exponent) - 1) << f.mantissa;
  const int sign = std::signbit(value) ? sign_bit : 0;
  // The largest finite code, the code for larger values, and the code for NaN.
  int largest = ones, overflow = ones, of_nan = ones;
  switch (f.specials) {
    case NarrowSpecials::ieee:
      largest = infinity - 1;
      overflow = infinity;
      of_nan = infinity | (1 << (f.mantissa - 1));
      break;
    case NarrowSpecials::nan: largest = ones - 1; break;
    case NarrowSpecials::unsigned_zero: overflow = of_nan = sign_bit; break;
    case NarrowSpecials::none:
    case NarrowSpecials::powers: break;
  }
  const auto signed_code = [&](int code) { return static_cast<std::uint8_t>(sign | code); };
  if (std::isnan(value)) return signed_code(of_nan);
  const double magnitude = std::abs(value);
  if (std::isinf(value)) return signed_code(overflow);
  const int least_exponent = 1 - f.bias;
  const int exponent = magnitude == 0 ? least_exponent : std::max(std::ilogb(magnitude), least_exponent);
  if (exponent > 1 << f.exponent) return signed_code(overflow);
  // The mantissa includes its leading one, which adds 1 to the exponent field; rounding up to the next power of two adds
  // another 1.
  const auto mantissa = static_cast<int>(std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent)));
  const int code = ((exponent - least_exponent) << f.mantissa) + mantissa;
  if (code > largest) return signed_code(overflow);
  return code == 0 && f.specials == NarrowSpecials::unsigned_zero ? std::uint8_t{0} : signed_code(code);
}

double from_narrow(std::uint8_t bits, const NarrowFormat& f) {
  if (f.specials == NarrowSpecials::powers) return bits == 0xff ? nan : std::ldexp(1, bits - f.bias);
  const int ones = (1 << (f.exponent + f.mantissa)) - 1, sign_bit = ones + 1;
  const int code = bits & ones, field = code >> f.mantissa, mantissa = code & ((1 << f.mantissa) - 1);
  const bool negative = bits & sign_bit;
  if (f.specials == NarrowSpecials::nan && code == ones) return nan;
  if (f.specials == NarrowSpecials::unsigned_zero && negative && code == 0) return nan;
  if (f.specials == NarrowSpecials::ieee && field == (1 << f.exponent) - 1) {
    if (mantissa != 0) return nan;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  const int leading = field == 0 ? 0 : 1 << f.mantissa;
  const double magnitude = std::ldexp(leading + mantissa, std::max(field, 1) - f.bias - f.mantissa);
  return negative ? -magnitude : magnitude;
}

}  // namespace weft
