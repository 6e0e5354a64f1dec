// exp, and what is made of it.
#include <weft/compiler/codegen/llvm/math_emitter.h>

namespace weft::compiler {

namespace {

constexpr double log2_e = 1.44269504088896341;

}  // namespace

// exp(r) - 1 = r + r^2 q(r), with the polynomial of Cephes' expf for f32 and a minimax polynomial for f64.
Real MathEmitter::below_1_exp(Real r) {
  const Real q = polynomial(
      r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1},
      {2.0914707069612355e-09, 2.5105245153901371e-08, 2.7557273594799413e-07, 2.7557255332554409e-06,
       2.4801587325585839e-05, 0.00019841269874873975, 0.0013888888888883737, 0.0083333333333261202,
       0.041666666666666671, 0.16666666666666671, 0.5});
  return fma(q, r * r, r);
}

// x = n ln2 + r with |r| <= ln2 / 2, and exp(x) = exp(r) 2^n, which is rounded once where it is subnormal. At most 1 ULP.
Real MathEmitter::exp(Real x) {
  if (accuracy_ != Accuracy::same_bits) return gpu_exp(x);
  const double above = pick(89, 710), below = pick(-104, -746);
  const Real clamped = select(x < below, below, select(x > above, above, x));
  const Rounded n = nearest_integer(clamped, log2_e);
  Real r = fma(n.number, pick(-0.693359375, -0.69314718055920820916), clamped);
  r = fma(n.number, pick(2.12194440e-4, -7.3710025651677989e-13), r);
  const Real y = below_1_exp(r) + 1;
  return scales_in_one_instruction() ? scale(y, n.number) : times_power_of_two(y, n.integer);
}

Real MathEmitter::exp_without_extremes(Real x) {
  const Rounded n = nearest_integer(x, log2_e);
  Real r = fma(n.number, pick(-0.693359375, -0.69314718055920820916), x);
  r = fma(n.number, pick(2.12194440e-4, -7.3710025651677989e-13), r);
  return select(x < pick(-87, -708), 0, (below_1_exp(r) + 1) * power_of_two(n.integer));
}

// exp of a number that is given by two, for results whose error would otherwise grow with x.
Real MathEmitter::exp_of(Pair x) {
  const double above = pick(89, 710), below = pick(-104, -746);
  const Truth over = x.high > above, under = x.high < below;
  const Real clamped = select(under, below, select(over, above, x.high));
  const Real low = select(over || under, 0, x.low);
  const Rounded n = nearest_integer(clamped, log2_e);
  Real r = fma(n.number, -pick(0.693115234375, 0.69314718055920820916), clamped);
  r = r + fma(n.number, -pick(3.1946183298714459e-5, 7.3710025651677989e-13), low);
  return times_power_of_two(below_1_exp(r) + 1, n.integer);
}

// x = n ln2 + r, and expm1(x) = 2 (2^(n-1) expm1(r) + (2^(n-1) - 1/2)). At most 2 ULP.
Real MathEmitter::expm1(Real x) {
  const double above = pick(89, 710), below = pick(-20, -40);
  const Real clamped = select(x < below, below, select(x > above, above, x));
  const Rounded n = nearest_integer(clamped, log2_e);
  Real r = fma(n.number, pick(-0.693359375, -0.69314718055920820916), clamped);
  r = fma(n.number, pick(2.12194440e-4, -7.3710025651677989e-13), r);
  const Real half = power_of_two(n.integer - 1);
  const Real y = fma(half, below_1_exp(r), half - 0.5);
  return select(abs(x) < pick(0x1p-25, 0x1p-54), x, y + y);
}

// For f32, the polynomial of Cephes' tanhf for |x| < 0.625, otherwise 1 - 2 / (exp(2|x|) + 1), which loses all but 20 bits at 1/8, where
// Taylor's polynomial is enough for numbers of 16 bits. For f64, e / (e + 2) with e = expm1(2|x|).
Real MathEmitter::tanh(Real x) {
  if (accuracy_ == Accuracy::bf16) return gpu_tanh(x);
  const Real magnitude = abs(x);
  if (wide_) {
    const Real e = expm1(select(magnitude > 22, 44, magnitude + magnitude));
    return copysign(e / (e + 2), x);
  }
  const Real square = x * x;
  const bool is_of_16_bits = accuracy_ == Accuracy::of_16_bits;
  const Real p = is_of_16_bits ? polynomial(square, {2.0 / 15, -1.0 / 3})
                               : polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                                     1.33314422036e-1, -3.33332819422e-1});
  const Real small = fma(p * square, x, x);
  const Real reciprocal = accuracy_ == Accuracy::same_bits ? 1.0 / (exp(magnitude + magnitude) + 1)
                                                           : gpu_reciprocal(gpu_quick_exp(magnitude, 2) + 1);
  const Real large = fma(reciprocal, -2, number(1));
  return copysign(select(magnitude < (is_of_16_bits ? 0.125 : 0.625), small, large), x);  // also for -0
}

// Computed from exp(-|x|), which neither overflows nor loses tiny results.
Real MathEmitter::logistic(Real x) {
  if (accuracy_ != Accuracy::same_bits) return gpu_reciprocal(exp(-x) + 1);
  const Real e = exp(-abs(x));
  return select(x < 0, e, 1) / (1 + e);
}

// For small |x|, x + x q(x^2); otherwise 1 - exp(log(erfc(|x|))), of which a polynomial is known. The polynomials for f32 are those that
// N. Juffa published for erff; those for f64 are minimax. At most 2 ULP.
Real MathEmitter::erf(Real x) {
  const Real t = abs(x), z = x * x;
  const Real q =
      polynomial(z, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1},
                 {-7.7958988270021425e-10, 1.3720064546777686e-08, -1.6208483801871705e-07, 1.6447424703317362e-06,
                  -1.4924736907419661e-05, 0.00012055294904839707, -0.00085483259753896918, 0.0052239776071164225,
                  -0.02686617064323777, 0.11283791670945006, -0.37612638903183543, 0.12837916709551256});
  Real logarithm = t;
  if (wide_) {
    logarithm =
        polynomial(select(t > 6, 6, t) - 1.25,
                   {-5.0381750908202161e-18, 2.9242553188538143e-16,  -8.0034584853350927e-15, 1.3741036258028887e-13,
                    -1.6604560404462832e-12, 1.5009615038289828e-11,  -1.0513592020651059e-10, 5.810688297510115e-10,
                    -2.5329152443497771e-09, 8.3976694954406109e-09,  -1.7930415600397671e-08, -3.0324605368719789e-09,
                    2.5269378648353621e-07,  -1.4474052473491921e-06, 5.1674742986594395e-06,  -1.0831161803581906e-05,
                    -1.0041699181780167e-05, 0.0002467840338725719,   -0.0016069509712782293,  0.0077919616107346911,
                    -0.032687008682133319,   -0.87081016405878542,    -3.0677239416692457,     -2.5626536619221256});
  } else {
    const Real r =
        fma(polynomial(t, {-1.72853470e-5, 3.83197126e-4}), z, polynomial(t, {-3.88396438e-3, 2.42546219e-2}));
    logarithm =
        fma(fma(fma(fma(r, t, number(-1.06777877e-1)), t, number(-6.34846687e-1)), t, number(-1.28717512e-1)), t, -t);
  }
  // Only the absolute error of exp counts here.
  const Real rest = accuracy_ == Accuracy::same_bits ? exp(logarithm) : gpu_quick_exp(logarithm);
  const Real large = copysign(1 - rest, x);
  return select(t > pick(0.927734375, 1), large, fma(q, x, x));
}

}  // namespace weft::compiler
