// log, log1p and pow.
#include <weft/compiler/codegen/llvm/math_emitter.h>

namespace weft::compiler {

MathEmitter::Split MathEmitter::split(Real x) {
  const Truth tiny = x < pick(0x1p-126, 0x1p-1022);
  const Real normal = select(tiny, x * pick(0x1p23, 0x1p54), x);
  const Whole bits = bits_of(normal);
  const Whole shifted = bits - bits_of(number(pick(0.707106769084930419921875, 0.70710678118654752)));
  const int fraction = wide_ ? 52 : 23;
  const Whole exponent = arithmetic_shift(shifted, fraction);
  const Real m = with_bits(bits - (exponent << fraction));
  return {m, to_real(exponent) - select(tiny, number(pick(23, 54)), 0)};
}

// For f32 the polynomial of Cephes' logf; for f64 the one of fdlibm's log in f / (2 + f).
Real MathEmitter::log_of(Real f, Real exponent) {
  if (!wide_) {
    const Real z = f * f;
    const Real p = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                                  -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    const Real y = fma(z, -0.5, fma(exponent, -2.12194440e-4, p * f * z));
    return fma(exponent, 0.693359375, f + y);
  }
  const Real s = f / (f + 2), z = s * s, half_square = f * f * 0.5;
  const Real r = z * polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                                    2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                                    6.666666666666735130e-01});
  const Real low = fma(exponent, 7.3710025651677989e-13, s * (half_square + r));
  return fma(exponent, 0.69314718055920820916, f - (half_square - low));
}

// At most 1 ULP.
Real MathEmitter::log(Real x) {
  if (accuracy_ == Accuracy::bf16) return gpu_log(x);
  const Split parts = split(x);
  Real result = log_of(parts.m - 1, parts.exponent);
  result = select(x == infinity(), x, result);
  result = select(x == 0, -infinity(), result);
  return select(x >= number(0), result, not_a_number());
}

// 1 + x = m 2^e, and m - 1 = x 2^-e + (2^-e - 1) loses nothing of x. At most 2 ULP.
Real MathEmitter::log1p(Real x) {
  const Real u = x + 1;
  const Whole shifted = bits_of(u) - bits_of(number(pick(0.707106769084930419921875, 0.70710678118654752)));
  const int fraction = wide_ ? 52 : 23;
  const Whole exponent = arithmetic_shift(shifted, fraction);
  const Real m = with_bits(bits_of(u) - (exponent << fraction));
  const Real down = power_of_two(exponent.like(0) - exponent);
  const Real f = select(exponent > 60, m - 1, fma(x, down, down - 1));
  Real result = log_of(f, to_real(exponent));
  result = select(x == infinity() || x == 0, x, result);
  result = select(x == -1, -infinity(), result);
  return select(x >= number(-1), result, not_a_number());
}

// log(m) = 2 atanh(t) with t = (m - 1) / (m + 1). The first two terms of the series are computed to twice the precision.
MathEmitter::Pair MathEmitter::precise_log(Real x) {
  const auto [m, exponent] = split(x);
  const Real f = m - 1, d = m + 1, d_low = m - (d - 1), inverse = 1 / d;
  const Real t = f * inverse;
  const Real t_low = (fma(-t, d, f) - t * d_low) * inverse;
  const Real z = t * t, z_low = fma(t, t, -z) + (t + t) * t_low;
  const Real cube = z * t, cube_low = fma(z, t, -cube) + fma(z, t_low, z_low * t);
  const double third = pick(0.66666668653488159, 0.66666666666666663),
               third_low = pick(-1.9868215517249155e-8, 3.7007434154171883e-17);
  const Real term = cube * third, term_low = fma(cube, third, -term) + fma(cube, third_low, cube_low * third);
  const Real tail =
      cube * z *
      polynomial(z, {0.191207787, 0.222047502, 0.285715319, 0.399999999},
                 {0.10762867423643212, 0.10456278375778207, 0.11766815303406082, 0.13333296483973292,
                  0.15384615761812609, 0.18181818179652515, 0.22222222222228444, 0.28571428571428564, 0.4});
  const Real first = exponent * pick(0.693115234375, 0.69314718055920820916), second = t + t;
  const Real sum = first + second, sum_low = second - (sum - first);
  const Real all = sum + term, all_low = term - (all - sum);
  const Real rest =
      fma(exponent, pick(3.1946183298714459e-5, 7.3710025651677989e-13), t_low + t_low + (term_low + tail));
  const Real low = sum_low + all_low + rest;
  const Real high = all + low;
  return {high, low - (high - all)};
}

// exp(y log|x|), with the logarithm and its product with y as sums of two numbers; special cases as in C. At most 2 ULP.
Real MathEmitter::pow(Real x, Real y) {
  const Real magnitude = abs(x);
  const Pair logarithm = precise_log(magnitude);
  const Real product = y * logarithm.high;
  Real result = exp_of({product, fma(y, logarithm.high, -product) + y * logarithm.low});
  const Real zero = number(0), one = number(1);
  const Truth infinite = abs(y) == infinity(), grows = y > 0;
  const Truth extreme = magnitude == 0 || magnitude == infinity();
  // 0 and infinity, and infinite exponents of others.
  const auto limit = [&](Truth above_1) {
    return select({&b_, b_.CreateICmpEQ(above_1.v, grows.v)}, infinity(), zero);
  };
  result = select(extreme, limit(magnitude > 1), result);
  result = select(infinite, select(magnitude == 1, one, limit(magnitude > 1)), result);
  // Negative numbers have powers for integers only, whose parity decides on the sign.
  const Real half = y * 0.5;
  const Truth integer = trunc(y) == y, odd = integer && trunc(half) != half;
  const Truth negative{&b_, b_.CreateICmpSLT(bits_of(x).v, bits_of(x).like(0).v)};
  result = select(negative && odd, -result, result);
  result = select(x < 0 && !integer && x != -infinity(), not_a_number(), result);
  result = select(x != x || y != y, x + y, result);
  return select(y == 0 || x == 1, one, result);
}

}  // namespace weft::compiler
