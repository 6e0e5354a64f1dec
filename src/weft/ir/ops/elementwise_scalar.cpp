// Scalar rules of elementwise ops that need more than one primitive.
#include <weft/ir/ops/elementwise.h>

namespace weft::ir {

namespace {

DType signed_of_width(int bytes) {
  switch (bytes) {
    case 1: return DType::i8;
    case 2: return DType::i16;
    case 4: return DType::i32;
    default: return DType::i64;
  }
}

DType unsigned_of_width(int bytes) {
  switch (bytes) {
    case 1: return DType::u8;
    case 2: return DType::u16;
    case 4: return DType::u32;
    default: return DType::u64;
  }
}

// Returns a 64-bit pattern. A double represents only 53 bits exactly, so wide patterns are combined from halves.
Scalar bits(ScalarBuilder& b, DType dtype, std::uint64_t value) {
  if (value >> 32 == 0) return b.constant(dtype, value);
  const Scalar high = b.apply(Prim::shift_left, {b.constant(dtype, value >> 32), b.constant(dtype, 32)});
  return b.apply(Prim::bit_or, {high, b.constant(dtype, value & 0xffffffffu)});
}

struct Format {
  int exponent_bits, mantissa_bits;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return {5, 10};
    case DType::bf16: return {8, 7};
    case DType::f32: return {8, 23};
    default: return {11, 52};
  }
}

// Returns integers whose signed order is the total order of the floats: the lower bits of negative numbers are flipped.
Scalar total_order(ScalarBuilder& b, Scalar x) {
  const int bytes = byte_size(x.dtype);
  const Scalar i = b.bitcast(x, signed_of_width(bytes));
  const Scalar all_or_none = b.apply(Prim::shift_right_arithmetic, {i, b.like(i, bytes * 8 - 1)});
  return b.apply(Prim::bit_xor, {i, b.apply(Prim::shift_right_logical, {all_or_none, b.like(i, 1)})});
}

// Exponentiation by squaring; wraps.
Scalar integer_power(ScalarBuilder& b, Scalar base, Scalar exponent) {
  const Scalar zero = b.like(base, 0), one = b.like(base, 1);
  Scalar result = one, square = base;
  const int digits = bit_width(base.dtype) - (is_signed_integer(base.dtype) ? 1 : 0);
  for (int i = 0; i < digits; ++i) {
    const Scalar digit = b.apply(Prim::bit_and, {b.apply(Prim::shift_right_logical, {exponent, b.like(base, i)}), one});
    result = b.select(b.compare(Direction::NE, digit, zero), b.multiply(result, square), result);
    if (i + 1 < digits) square = b.multiply(square, square);
  }
  if (!is_signed_integer(base.dtype)) return result;
  // A negative exponent: 1/base^|exponent| rounded towards zero.
  const Scalar odd = b.compare(Direction::NE, b.apply(Prim::bit_and, {exponent, one}), zero);
  const Scalar minus_one = b.like(base, -1);
  const Scalar of_minus_one = b.select(b.compare(Direction::EQ, base, minus_one), b.select(odd, minus_one, one), zero);
  const Scalar inverse = b.select(b.compare(Direction::EQ, base, one), one, of_minus_one);
  return b.select(b.compare(Direction::LT, exponent, zero), inverse, result);
}

// Rounds the bits of a float to fewer mantissa bits, ties to even. The carry may reach the exponent, up to infinity.
Scalar round_mantissa(ScalarBuilder& b, Scalar x, int dropped) {
  const std::uint64_t last = std::uint64_t{1} << dropped;
  const Scalar odd =
      b.apply(Prim::bit_and, {b.apply(Prim::shift_right_logical, {x, b.like(x, dropped)}), b.like(x, 1)});
  const Scalar rounded = b.add(x, b.add(odd, bits(b, x.dtype, (last >> 1) - 1)));
  return b.apply(Prim::bit_and, {rounded, b.apply(Prim::bit_not, {bits(b, x.dtype, last - 1)})});
}

// Replaces exponents outside of the narrower range by infinity or zero, in the bits of a float.
Scalar narrow_exponent(ScalarBuilder& b, Scalar x, Format from, int exponent_bits) {
  const std::uint64_t bias = (std::uint64_t{1} << (from.exponent_bits - 1)) - 1,
                      narrow_bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  const Scalar exponent_mask = bits(b, x.dtype, ((std::uint64_t{1} << from.exponent_bits) - 1) << from.mantissa_bits);
  const Scalar exponent = b.apply(Prim::bit_and, {x, exponent_mask});
  const Scalar sign =
      b.apply(Prim::bit_and, {x, bits(b, x.dtype, std::uint64_t{1} << (from.exponent_bits + from.mantissa_bits))});
  const Scalar overflows =
      b.compare(Direction::GT, exponent, bits(b, x.dtype, (bias + narrow_bias) << from.mantissa_bits));
  const Scalar underflows =
      b.compare(Direction::LE, exponent, bits(b, x.dtype, (bias - narrow_bias) << from.mantissa_bits));
  return b.select(underflows, sign, b.select(overflows, b.apply(Prim::bit_or, {sign, exponent_mask}), x));
}

}  // namespace

Scalar clamp_scalar(ScalarBuilder& b, const ScalarCall& x) {
  const bool logical = x.result == DType::boolean;
  const Scalar raised = b.apply(logical ? Prim::bit_or : Prim::maximum, {x[1], x[0]});
  return b.apply(logical ? Prim::bit_and : Prim::minimum, {raised, x[2]});
}

Scalar compare_scalar(ScalarBuilder& b, const ScalarCall& x) {
  const auto& how = x.attributes<CompareAttributes>();
  if (how.type == Comparison::TOTALORDER) return b.compare(how.direction, total_order(b, x[0]), total_order(b, x[1]));
  return b.compare(how.direction, x[0], x[1]);
}

Scalar power_scalar(ScalarBuilder& b, const ScalarCall& x) {
  return is_float(x.result) ? b.apply(Prim::pow, {x[0], x[1]}) : integer_power(b, x[0], x[1]);
}

// As in XLA, subnormals of the narrower format become zero, and NaN stays NaN unless the format has no mantissa for it.
Scalar reduce_precision_scalar(ScalarBuilder& b, const ScalarCall& x) {
  const auto& to = x.attributes<ReducePrecisionAttributes>();
  const Format from = format_of(x.result);
  const bool fewer_mantissa_bits = to.mantissa_bits < from.mantissa_bits,
             fewer_exponent_bits = to.exponent_bits < from.exponent_bits;
  if (!fewer_mantissa_bits && !fewer_exponent_bits) return x[0];
  Scalar word = b.bitcast(x[0], unsigned_of_width(byte_size(x.result)));
  if (fewer_mantissa_bits) word = round_mantissa(b, word, from.mantissa_bits - to.mantissa_bits);
  if (fewer_exponent_bits) word = narrow_exponent(b, word, from, to.exponent_bits);
  const Scalar number = b.bitcast(word, x.result);
  const Scalar of_nan = to.mantissa_bits > 0 ? x[0] : b.like(x[0], std::numeric_limits<double>::infinity());
  return b.select(b.compare(Direction::NE, x[0], x[0]), of_nan, number);
}

Scalar same_scalar(ScalarBuilder&, const ScalarCall& x) { return x[0]; }

// Zeros and NaN are returned unchanged.
Scalar sign_scalar(ScalarBuilder& b, const ScalarCall& x) {
  const Scalar zero = b.like(x[0], 0);
  const Scalar below = b.select(b.compare(Direction::LT, x[0], zero), b.like(x[0], -1), x[0]);
  return b.select(b.compare(Direction::GT, x[0], zero), b.like(x[0], 1), below);
}

}  // namespace weft::ir
