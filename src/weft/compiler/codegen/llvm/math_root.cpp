// cbrt and remainder.
#include <weft/compiler/codegen/llvm/math_emitter.h>

namespace weft::compiler {

using llvm::Value;

// fdlibm's guess by dividing the exponent by 3, Halley's steps, and one step of Newton's whose residual is computed to twice the precision.
// At most 1 ULP. Very large and small numbers are scaled by a cube.
Real MathEmitter::cbrt(Real x) {
  const Real magnitude = abs(x);
  const Truth small = magnitude<pick(0x1p-60, 0x1p-900), large = magnitude> pick(0x1p100, 0x1p900);
  const auto scaled = [&](Real v, double up, double down) {
    return v * select(small, up, select(large, number(down), 1));
  };
  const Real a = scaled(magnitude, pick(0x1p54, 0x1p180), pick(0x1p-54, 0x1p-180));
  const Whole bits = bits_of(a);
  // A third of the highest 32 bits.
  Whole guess = bits;
  if (wide_)
    guess = (((bits >> 32) * 0xaaaaaaab >> 33) + 715094163) << 32;
  else
    guess = Whole{&b_, b_.CreateUDiv(bits.v, bits.like(3).v)} + 709958130;
  Real y = with_bits(guess);
  for (int step = 0; step < (wide_ ? 2 : 1); ++step) {
    const Real cube = y * y * y;
    y = y * ((cube + (a + a)) / (cube + cube + a));
  }
  const Real square = y * y, square_low = fma(y, y, -square);
  const Real residual = fma(square, y, -a) + square_low * y;
  y = y - residual / (square * 3);
  const Real result = copysign(scaled(y, pick(0x1p-18, 0x1p-60), pick(0x1p18, 0x1p60)), x);
  return select(magnitude == 0 || magnitude == infinity(), x, result);
}

// Subtracts trunc(r / y) y from r > 0 until r < y. The rounded quotient q may be too large to have a fraction; r - q y is exact all the
// same: a multiple of the last bits of q times y that has at most as many digits as y. It may be negative; then the sign of r changes. If y
// is so small that r / y may overflow, multiples of y are subtracted first.
Real MathEmitter::remainder(Real x, Real y) {
  const Real a = abs(x), b = abs(y);
  const Truth plain = a < infinity() && b < infinity() && b > 0;
  const Real divisor = select(plain, b, 1);
  const double step = pick(0x1p100, 0x1p700);
  const Real one = number(1);
  const std::vector<Value*> reduced = repeat(
      {select(plain, a, 0).v, one.v}, [&](const auto& v) { return value(v[0]) >= divisor; },
      [&](const auto& v) -> std::vector<Value*> {
        const Real r = value(v[0]), once = divisor * step, twice = once * step;
        const Real multiple = select(r >= twice, twice, select(r >= once, once, divisor));
        const Real next = fma(-trunc(r / multiple), multiple, r);
        return {abs(next).v, select(next < 0, -value(v[1]), value(v[1])).v};
      });
  Real rest = value(reduced[0]);
  rest = select(value(reduced[1]) < 0 && rest > 0, divisor - rest, rest);
  rest = select(plain, rest, not_a_number());
  rest = select(b == infinity() && a < infinity(), a, rest);
  return select(x != x || y != y, x + y, copysign(rest, x));
}

}  // namespace weft::compiler
