#include <weft/compiler/passes/narrow_codes.h>

#include <cmath>
#include <limits>

#include <weft/base/error.h>
#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

using ir::Direction;
using ir::Value;

NarrowFormat format_of(DType narrow) {
  return visit_any(narrow, [&]<class T>(T) -> NarrowFormat {
    if constexpr (requires { T::format; })
      return T::format;
    else
      fail(narrow, " has no codes");
  });
}

Value less(Value a, Value b) { return ir::compare(a, b, Direction::LT); }
Value equal(Value a, double b) { return ir::compare(a, ir::constant_like(a, b), Direction::EQ); }
Value greater(Value a, double b) { return ir::compare(a, ir::constant_like(a, b), Direction::GT); }
Value masked(Value x, double mask) { return ir::and_(x, ir::constant_like(x, mask)); }
Value shifted_left(Value x, int bits) { return ir::shift_left(x, ir::constant_like(x, bits)); }
Value shifted_right(Value x, int bits) { return ir::shift_right_logical(x, ir::constant_like(x, bits)); }
Value minus(Value x, double y) { return ir::subtract(x, ir::constant_like(x, y)); }
// Returns `value` where the predicate holds, and x elsewhere.
Value where(Value predicate, double value, Value x) { return ir::select(predicate, ir::constant_like(x, value), x); }

// The layout of the wide floating-point type that codes are made of.
struct Wide {
  DType dtype, bits;
  int width, mantissa, bias;
};
constexpr Wide single{DType::f32, DType::u32, 32, 23, 127}, twofold{DType::f64, DType::u64, 64, 52, 1023};

// E8M0: the field of the exponent, without sign and mantissa. Smaller numbers than the least power become it, negative ones NaN.
Value encode_powers(Value x) {
  constexpr int nan = 0xff, bias = 127;
  const Value bits = ir::bitcast_convert(ir::convert(x, twofold.dtype), x.type().with(DType::i64));
  const Value sign = less(bits, ir::constant_like(bits, 0)), positive = shifted_right(shifted_left(bits, 1), 1);
  const Value odd = masked(shifted_right(positive, twofold.mantissa), 1);
  const Value rounded = ir::add(ir::add(positive, ir::constant_like(bits, 0x1p51 - 1)), odd);
  Value code = minus(shifted_right(rounded, twofold.mantissa), twofold.bias - bias);
  code = ir::maximum(code, ir::constant_like(code, 0));
  code = where(greater(code, nan - 1), nan, code);
  return ir::convert(where(ir::and_(sign, ir::compare(positive, ir::constant_like(bits, 0), Direction::NE)), nan, code),
                     DType::u8);
}

Value decode_powers(Value codes) {
  constexpr int nan = 0xff, least = 0x00400000;  // 2^-127
  const Value wide = ir::convert(codes, single.bits);
  const Value bits = where(equal(codes, 0), least, shifted_left(wide, single.mantissa));
  const Value number = ir::bitcast_convert(bits, codes.type().with(single.dtype));
  return where(equal(codes, nan), std::numeric_limits<double>::quiet_NaN(), number);
}

}  // namespace

DType held_dtype(DType narrow) { return is_signed_integer(narrow) ? DType::i8 : DType::u8; }

Value decode_floats(Value x, DType narrow) {
  const NarrowFormat f = format_of(narrow);
  if (f.specials == NarrowSpecials::powers) return decode_powers(x);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const int ones = (1 << (f.exponent + f.mantissa)) - 1, sign_bit = ones + 1;
  const int infinity = ((1 << f.exponent) - 1) << f.mantissa;
  const Value wide = ir::convert(x, single.bits), magnitude = masked(wide, ones);
  // The code, read as the bits of an f32, is the number divided by a power of two. This is so for subnormal numbers, too.
  const Value scaled =
      ir::bitcast_convert(shifted_left(magnitude, single.mantissa - f.mantissa), x.type().with(single.dtype));
  Value number = ir::multiply(scaled, ir::constant_like(scaled, std::ldexp(1, single.bias - f.bias)));
  if (f.specials == NarrowSpecials::ieee) number = where(equal(magnitude, infinity), infinite, number);
  const Value sign = shifted_left(masked(wide, sign_bit), single.width - 1 - (f.exponent + f.mantissa));
  const Value bits = ir::bitcast_convert(number, x.type().with(single.bits));
  number = ir::bitcast_convert(ir::or_(bits, sign), number.type());
  switch (f.specials) {
    case NarrowSpecials::ieee: return where(greater(magnitude, infinity), nan, number);
    case NarrowSpecials::nan: return where(equal(magnitude, ones), nan, number);
    case NarrowSpecials::unsigned_zero: return where(equal(wide, sign_bit), nan, number);
    default: return number;
  }
}

Value encode_floats(Value x, DType narrow) {
  const NarrowFormat f = format_of(narrow);
  if (f.specials == NarrowSpecials::powers) return encode_powers(x);
  const int ones = (1 << (f.exponent + f.mantissa)) - 1, sign_bit = ones + 1;
  const int infinity = ((1 << f.exponent) - 1) << f.mantissa;
  const bool is_ieee = f.specials == NarrowSpecials::ieee,
             has_negative_zero = f.specials != NarrowSpecials::unsigned_zero;
  const int of_nan = is_ieee ? infinity | (1 << (f.mantissa - 1)) : has_negative_zero ? ones : sign_bit;
  const int overflow = is_ieee ? infinity : of_nan;
  const int largest = is_ieee ? infinity - 1 : f.specials == NarrowSpecials::nan ? ones - 1 : ones;

  const Wide& w = x.dtype() == DType::f64 ? twofold : single;
  const Type type = x.type();
  const Value number = ir::abs(x), bits = ir::bitcast_convert(number, type.with(w.bits));
  // A number of the normal range has the code in its bits, whose rest is rounded away.
  const int rest = w.mantissa - f.mantissa;
  const Value odd = masked(shifted_right(bits, rest), 1);
  const Value rounded = ir::add(ir::add(bits, ir::constant_like(bits, std::ldexp(1, rest - 1) - 1)), odd);
  const Value normal = minus(shifted_right(rounded, rest), std::ldexp(w.bias - f.bias, f.mantissa));
  // A smaller one is a multiple of the least code: the sum with a number whose last bit is that code is rounded to it.
  const double least_normal = std::ldexp(1, 1 - f.bias), unit = std::ldexp(least_normal, -f.mantissa);
  const Value large = ir::constant_like(x, std::ldexp(unit, w.mantissa));
  const Value small = ir::subtract(ir::bitcast_convert(ir::add(number, large), type.with(w.bits)),
                                   ir::bitcast_convert(large, type.with(w.bits)));
  Value code = ir::select(less(number, ir::constant_like(x, least_normal)), small, normal);
  code = where(greater(code, largest), overflow, code);
  code = where(ir::compare(x, x, Direction::NE), of_nan, code);
  const Value sign =
      shifted_left(shifted_right(ir::bitcast_convert(x, type.with(w.bits)), w.width - 1), f.exponent + f.mantissa);
  Value result = ir::or_(code, sign);
  if (!has_negative_zero) result = where(equal(code, 0), 0, result);
  return ir::convert(result, DType::u8);
}

Value wrap_integers(Value x, DType narrow) {
  const int unused = 8 - bit_width(narrow);
  const Value high = shifted_left(x, unused);
  return is_signed_integer(narrow) ? ir::shift_right_arithmetic(high, ir::constant_like(high, unused))
                                   : shifted_right(high, unused);
}

}  // namespace weft::compiler
