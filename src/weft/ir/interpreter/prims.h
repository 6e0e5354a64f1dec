// Computes each Prim on one element: floats in double, integers and booleans in their own type. Unary prims ignore `b`.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include <weft/base/convert.h>
#include <weft/ir/scalar.h>

namespace weft::ir::interpreter {

[[noreturn]] inline void no_meaning(Prim prim, DType dtype) {
  WEFT_ASSERT(false, "scalar operation ", static_cast<int>(prim), " has no meaning for ", dtype);
  __builtin_unreachable();
}

// IEEE 754-2019 maximum: NaN if either is, and -0 < +0.
inline double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

// Does not overflow in exp, and is accurate where the result is tiny.
inline double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

inline double evaluate(Prim prim, double a, double b) {
  switch (prim) {
    case Prim::add: return a + b;
    case Prim::subtract: return a - b;
    case Prim::multiply: return a * b;
    case Prim::divide: return a / b;
    case Prim::remainder: return std::fmod(a, b);
    case Prim::negate: return -a;
    case Prim::absolute: return std::abs(a);
    case Prim::minimum: return -maximum(-a, -b);
    case Prim::maximum: return maximum(a, b);
    case Prim::sqrt: return std::sqrt(a);
    case Prim::rsqrt: return 1 / std::sqrt(a);
    case Prim::cbrt: return std::cbrt(a);
    case Prim::floor: return std::floor(a);
    case Prim::ceil: return std::ceil(a);
    case Prim::round_half_even: return std::nearbyint(a);
    case Prim::round_half_away: return std::round(a);
    case Prim::exp: return std::exp(a);
    case Prim::expm1: return std::expm1(a);
    case Prim::log: return std::log(a);
    case Prim::log1p: return std::log1p(a);
    case Prim::sin: return std::sin(a);
    case Prim::cos: return std::cos(a);
    case Prim::tan: return std::tan(a);
    case Prim::tanh: return std::tanh(a);
    case Prim::logistic: return logistic(a);
    case Prim::erf: return std::erf(a);
    case Prim::pow: return std::pow(a, b);
    case Prim::atan2: return std::atan2(a, b);
    default: no_meaning(prim, DType::f64);
  }
}

inline bool evaluate(Prim prim, bool a, bool b) {
  switch (prim) {
    case Prim::bit_and: return a && b;
    case Prim::bit_or: return a || b;
    case Prim::bit_xor: return a != b;
    case Prim::bit_not: return !a;
    default: no_meaning(prim, DType::boolean);
  }
}

// Computes on integers of `width` bits that are stored in a T; the caller wraps the result.
template <class T>
  requires std::is_integral_v<T>
T evaluate(Prim prim, T a, T b, int width = std::numeric_limits<std::make_unsigned_t<T>>::digits) {
  using U = std::make_unsigned_t<T>;
  const int unused = std::numeric_limits<U>::digits - width;
  // Unsigned 64-bit arithmetic wraps without undefined behaviour, and the low bits do not depend on the sign. The return type
  // keeps only these.
  const std::uint64_t x = a, y = b;
  const U low = x & (~std::uint64_t{0} >> (64 - width));  // only the bits of a
  const U places = b;
  const bool shifts_out = std::cmp_greater_equal(places, width);
  const bool overflows = std::is_signed_v<T> && a == std::numeric_limits<T>::min() && y == ~std::uint64_t{0};
  switch (prim) {
    case Prim::add: return x + y;
    case Prim::subtract: return x - y;
    case Prim::multiply: return x * y;
    case Prim::divide:
      if (b == 0) return -1;
      return overflows ? a : a / b;
    case Prim::remainder: return b == 0 ? a : overflows ? 0 : a % b;
    case Prim::negate: return 0 - x;
    case Prim::absolute:
      if (a < 0) return 0 - x;
      return a;
    case Prim::minimum: return b < a ? b : a;
    case Prim::maximum: return a < b ? b : a;
    case Prim::bit_and: return x & y;
    case Prim::bit_or: return x | y;
    case Prim::bit_xor: return x ^ y;
    case Prim::bit_not: return ~x;
    case Prim::shift_left: return shifts_out ? 0 : x << places;
    case Prim::shift_right_logical: return shifts_out ? 0 : low >> places;
    case Prim::shift_right_arithmetic: {
      const std::make_signed_t<T> sign_first = low << unused;
      return sign_first >> unused >> (shifts_out ? width - 1 : places);
    }
    case Prim::popcount: return std::popcount(low);
    case Prim::count_leading_zeros: return std::countl_zero(low) - unused;
    default: no_meaning(prim, dtype_of<T>);
  }
}

// The type in which elements of T are computed.
template <class T>
struct WideOf {
  using Type = std::conditional_t<is_float_type<T>, double, T>;
};
template <class T>
  requires is_narrow_int<T>
struct WideOf<T> {
  using Type = typename T::Wide;
};
template <class T>
using Wide = typename WideOf<T>::Type;

template <class T>
T evaluate_as(Prim prim, T a, T b) {
  if constexpr (is_narrow_int<T>)
    return T(evaluate(prim, a.value, b.value, T::bits));
  else
    return static_cast<T>(evaluate(prim, static_cast<Wide<T>>(a), static_cast<Wide<T>>(b)));
}

}  // namespace weft::ir::interpreter
