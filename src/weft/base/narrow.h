// Integers of fewer than 8 bits, and floats of at most 8. Programs read from text may use them, and the interpreter computes
// with them. Each takes one byte in memory: integers are sign-extended, floats have their bits at the lower end. Arithmetic is
// done in wider types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace weft {

// An integer of fewer than 8 bits, which wraps.
template <int Bits, bool Signed>
struct NarrowInt {
  using Wide = std::conditional_t<Signed, std::int8_t, std::uint8_t>;
  static constexpr int bits = Bits;
  static constexpr Wide most = static_cast<Wide>((1 << (Signed ? Bits - 1 : Bits)) - 1);
  static constexpr Wide least = static_cast<Wide>(Signed ? -(1 << (Bits - 1)) : 0);

  Wide value = 0;

  constexpr NarrowInt() = default;
  template <class T>
    requires std::is_integral_v<T>
  constexpr explicit NarrowInt(T wide) : value(wrapped(static_cast<std::uint8_t>(wide))) {}
  constexpr explicit NarrowInt(double wide) : NarrowInt(static_cast<std::int64_t>(wide)) {}
  constexpr operator Wide() const { return value; }

 private:
  static constexpr Wide wrapped(std::uint8_t low) {
    constexpr int unused = 8 - Bits;
    return static_cast<Wide>(static_cast<Wide>(static_cast<std::uint8_t>(low << unused)) >> unused);
  }
};

// The meaning of the codes at the ends of a narrow float's range.
enum class NarrowSpecials : std::uint8_t {
  ieee,           // infinities and NaN, as IEEE 754
  nan,            // FN: no infinity; all ones is NaN
  unsigned_zero,  // FNUZ: no infinity and no -0; the code of -0 is NaN
  none,           // every code is a number; values that are too large become the largest
  powers,         // E8M0: no sign and no mantissa, only powers of two; all ones is NaN
};

struct NarrowFormat {
  int exponent, mantissa, bias;
  NarrowSpecials specials;
};

// Rounds to nearest, ties to even.
std::uint8_t to_narrow(double value, const NarrowFormat& format);
double from_narrow(std::uint8_t bits, const NarrowFormat& format);

template <int Exponent, int Mantissa, int Bias, NarrowSpecials Specials>
struct NarrowFloat {
  static constexpr NarrowFormat format{Exponent, Mantissa, Bias, Specials};

  std::uint8_t bits = 0;

  NarrowFloat() = default;
  explicit NarrowFloat(double value) : bits(to_narrow(value, format)) {}
  operator double() const { return from_narrow(bits, format); }
};

using int2 = NarrowInt<2, true>;
using int4 = NarrowInt<4, true>;
using uint2 = NarrowInt<2, false>;
using uint4 = NarrowInt<4, false>;
using float4_e2m1fn = NarrowFloat<2, 1, 1, NarrowSpecials::none>;
using float6_e2m3fn = NarrowFloat<2, 3, 1, NarrowSpecials::none>;
using float6_e3m2fn = NarrowFloat<3, 2, 3, NarrowSpecials::none>;
using float8_e3m4 = NarrowFloat<3, 4, 3, NarrowSpecials::ieee>;
using float8_e4m3 = NarrowFloat<4, 3, 7, NarrowSpecials::ieee>;
using float8_e4m3b11fnuz = NarrowFloat<4, 3, 11, NarrowSpecials::unsigned_zero>;
using float8_e4m3fn = NarrowFloat<4, 3, 7, NarrowSpecials::nan>;
using float8_e4m3fnuz = NarrowFloat<4, 3, 8, NarrowSpecials::unsigned_zero>;
using float8_e5m2 = NarrowFloat<5, 2, 15, NarrowSpecials::ieee>;
using float8_e5m2fnuz = NarrowFloat<5, 2, 16, NarrowSpecials::unsigned_zero>;
using float8_e8m0fnu = NarrowFloat<8, 0, 127, NarrowSpecials::powers>;

template <class T>
inline constexpr bool is_narrow_int = false;
template <int Bits, bool Signed>
inline constexpr bool is_narrow_int<NarrowInt<Bits, Signed>> = true;

}  // namespace weft
