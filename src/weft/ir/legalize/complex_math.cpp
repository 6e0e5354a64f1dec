#include <weft/ir/legalize/complex_math.h>

#include <limits>
#include <numbers>

namespace weft::ir::legalize::complex_math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double huge = 0x1p500;  // its square is finite, and adding 1 to numbers of this size changes nothing

Value like(Value x, double value) { return constant_like(x, value); }
Value less(Value x, double limit) { return compare(x, like(x, limit), Direction::LT); }
Value greater(Value x, double limit) { return compare(x, like(x, limit), Direction::GT); }
Value equal(Value x, double value) { return compare(x, like(x, value), Direction::EQ); }
Value is_infinite(Value x) { return equal(abs(x), infinity); }
Value is_nan(Value x) { return compare(x, x, Direction::NE); }
// Returns -i f(iz). It turns trigonometric functions into hyperbolic ones and the reverse.
template <class Function>
Complex turned(Function&& function, Complex z) {
  const Complex w = function(Complex{-z.im, z.re});
  return {w.im, -w.re};
}

// ---------------------------------------------------------------------------------------------------------------------
// Bits

Value bits_of(Value x) { return bitcast_convert(x, x.type().with(DType::i64)); }
Value from_bits(Value bits) { return bitcast_convert(bits, bits.type().with(DType::f64)); }
Value with_bits(Value x, double mask) {
  const Value bits = bits_of(x);
  return from_bits(and_(bits, like(bits, mask)));
}

Value is_negative(Value x) {  // tests the sign bit
  const Value bits = bits_of(x);
  return compare(bits, like(bits, 0), Direction::LT);
}
Value copy_sign(Value magnitude, Value sign) { return select(is_negative(sign), -magnitude, magnitude); }

// Returns a power of 4 of about the size of x >= 0, between 2^-1000 and 2^1000, so that its inverse and its square root are exact.
Value scale_of(Value x) {
  constexpr double exponent = 0x7ffp52, lowest_exponent_bit = 0x1p52;
  const Value bits = bits_of(x);
  const Value power = from_bits(or_(and_(bits, like(bits, exponent)), like(bits, lowest_exponent_bit)));
  return clamp(like(x, 0x1p-1000), power, like(x, 0x1p1000));
}

Value larger_part(Complex z) { return maximum(abs(z.re), abs(z.im)); }

// z = value * scale. The larger part of the value is about 1 unless z is zero or out of range.
struct Scaled {
  Complex value;
  Value scale;
};
Scaled scaled(Complex z) {
  const Value scale = scale_of(larger_part(z));
  return {{z.re / scale, z.im / scale}, scale};
}

Value norm(Complex z) { return z.re * z.re + z.im * z.im; }

Value hypot(Value x, Value y) {
  const Scaled z = scaled({x, y});
  const Value either_infinite = or_(is_infinite(x), is_infinite(y));
  return select(either_infinite, like(x, infinity), ir::sqrt(norm(z.value)) * z.scale);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums and squares as pairs of numbers; the second is the rounding error of the first.

struct Two {
  Value high, low;
};

Two two_sum(Value a, Value b) {
  const Value sum = a + b, rest = sum - a;
  return {sum, (a - (sum - rest)) + (b - rest)};
}

Two two_square(Value a) {
  constexpr double upper_bits = -0x1p27;  // mask for the upper half of the significand
  const Value square = a * a, high = with_bits(a, upper_bits), low = a - high;
  return {square, ((high * high - square) + high * low * 2) + low * low};
}

// Returns start + x^2 + y^2, also if the sum is much smaller than its terms.
Value add_squares(Value start, Value x, Value y) {
  const Two xx = two_square(x), yy = two_square(y), first = two_sum(start, xx.high),
            second = two_sum(first.high, yy.high);
  return second.high + (first.low + second.low + xx.low + yy.low);
}

// Returns log |z|, given `excess` = |z|^2 - 1; accurate even if |z| is almost 1.
Value log_absolute(Complex z, Value excess) {
  const Scaled s = scaled(z);
  const Value size = larger_part(z), is_extreme = or_(greater(size, 0x1p1000), less(size, 0x1p-1000));
  const Value far = ir::log(hypot(z.re, z.im)), extreme = ir::log(norm(s.value)) * 0.5 + ir::log(s.scale);
  const Value near = ir::log_plus_one(excess) * 0.5;
  const Value is_near = and_(greater(excess, -0.75), less(excess, 3));
  const Value result = select(is_near, near, select(and_(is_extreme, less(size, infinity)), extreme, far));
  return select(or_(is_infinite(z.re), is_infinite(z.im)), like(size, infinity), result);
}

// Sums every second term of the series of exp x, starting with `first` = x^n / n!, for 0 <= x <= 1. The first term dominates the
// sum, so the rounding of the others hardly matters.
Value half_of_exponential(Value first, Value x, int n) {
  constexpr int terms = 10;  // more terms would not change the result
  const Value xx = x * x;
  Value rest = like(x, 1);
  for (int k = n + 2 * terms; k > n + 2; k -= 2) rest = rest * xx * (1.0 / (k * (k - 1))) + 1;
  return first + first * (rest * xx * (1.0 / ((n + 2) * (n + 1))));
}

// cosh x and sinh x are `cosh * factor` and `sinh * factor`. The factor differs from 1 where they overflow, because a product
// with them may still be finite.
struct Hyperbolic {
  Value cosh, sinh, factor;
};
Hyperbolic hyperbolic(Value x) {
  const Value size = abs(x), is_big = greater(size, 700), is_small = less(size, 1);
  const Value e = ir::exponential(select(is_big, size * 0.5, size)), inverse = like(x, 1) / e;
  const Value bounded = minimum(size, like(x, 1));
  const auto either = [&](Value first, int n, Value far) {
    return select(is_small, half_of_exponential(first, bounded, n), select(is_big, e * 0.5, far * 0.5));
  };
  return {either(like(x, 1), 0, e + inverse), copy_sign(either(bounded, 1, e - inverse), x),
          select(is_big, e, like(x, 1))};
}

// Returns a * b * factor; 0 if a is 0, whatever the others are.
Value product(Value a, Value b, Value factor) {
  return select(equal(a, 0), a * copy_sign(like(a, 1), b), a * b * factor);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Products and powers

Complex multiply(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

Value absolute(Complex z) { return hypot(z.re, z.im); }

Value absolute_of_f32(Complex z) {
  const Value either_infinite = or_(is_infinite(z.re), is_infinite(z.im));
  return select(either_infinite, like(z.re, infinity), ir::sqrt(norm(z)));
}

Complex sign(Complex z) {
  const Scaled s = scaled(z);
  const Value size = ir::sqrt(norm(s.value));
  return choose(equal(larger_part(z), 0), z, {s.value.re / size, s.value.im / size});
}

// Scales the denominator and moves the numerator away from the ends of the range. Results that infinities turned into NaN are
// corrected as in Annex G of the C standard.
Complex divide(Complex a, Complex b) {
  const Value numerator = larger_part(a);
  const Value distance = select(greater(numerator, 0x1p1000), like(numerator, 0x1p30),
                                select(less(numerator, 0x1p-900), like(numerator, 0x1p-100), like(numerator, 1)));
  const Scaled x = {{a.re / distance, a.im / distance}, distance}, y = scaled(b);
  const auto quotient = [](Complex n, Complex d) {
    const Value size = norm(d);
    return Complex{(n.re * d.re + n.im * d.im) / size, (n.im * d.re - n.re * d.im) / size};
  };
  // The ratio of the scales may be out of range although the result is not.
  const Value ratio = clamp(like(x.scale, 0x1p-1000), x.scale / y.scale, like(x.scale, 0x1p1000));
  const Value rest = x.scale / ratio / y.scale;
  const Complex q = quotient(x.value, y.value), result = {q.re * ratio * rest, q.im * ratio * rest};

  const Value signed_infinity = copy_sign(like(b.re, infinity), b.re);
  const Complex by_zero = {signed_infinity * a.re, signed_infinity * a.im};
  const auto corner = [](Complex z) {  // 1 for infinities, 0 otherwise
    const auto part = [](Value v) { return copy_sign(select(is_infinite(v), like(v, 1), like(v, 0)), v); };
    return Complex{part(z.re), part(z.im)};
  };
  const auto times = [](double factor, Complex n, Complex d) {
    return Complex{(n.re * d.re + n.im * d.im) * factor, (n.im * d.re - n.re * d.im) * factor};
  };
  const auto any_infinite = [](Complex z) { return or_(is_infinite(z.re), is_infinite(z.im)); };
  const auto is_finite = [](Complex z) { return and_(ir::is_finite(z.re), ir::is_finite(z.im)); };
  const Complex lost = choose(equal(larger_part(b), 0), by_zero,
                              choose(and_(any_infinite(a), is_finite(b)), times(infinity, corner(a), b),
                                     choose(and_(any_infinite(b), is_finite(a)), times(0, a, corner(b)), result)));
  return choose(and_(is_nan(result.re), is_nan(result.im)), lost, result);
}

Complex sqrt(Complex z) {
  const Scaled s = scaled(z);
  const Value size = ir::sqrt(norm(s.value)), root = ir::sqrt((abs(s.value.re) + size) * 0.5);
  const Value back = ir::sqrt(s.scale), larger = root * back, smaller = abs(z.im) / (larger * 2);
  const Value is_left = is_negative(z.re);
  const Complex result = {select(is_left, smaller, larger), copy_sign(select(is_left, larger, smaller), z.im)};
  const Value inf = like(z.re, infinity);
  return choose(is_infinite(z.im), {inf, z.im}, choose(equal(larger_part(z), 0), {abs(z.re), z.im}, result));
}

Complex rsqrt(Complex z) {
  const Scaled s = scaled(z);
  const Complex root = sqrt(s.value);
  const Value size = ir::sqrt(norm(s.value)), back = ir::sqrt(s.scale);
  const Value zero = like(z.re, 0), inf = like(z.re, infinity);
  const Complex result = {root.re / size / back, -root.im / size / back};
  const Value any_infinite = or_(is_infinite(z.re), is_infinite(z.im));
  return choose(any_infinite, {zero, copy_sign(zero, -z.im)},
                choose(equal(larger_part(z), 0), {inf, copy_sign(zero, -z.im)}, result));
}

Complex cbrt(Complex z) {
  const Value size = ir::cbrt(absolute(z)), angle = atan2(z.im, z.re) / like(z.re, 3);
  return {size * ir::cosine(angle),
          select(equal(z.im, 0), select(is_negative(z.re), size * ir::sine(angle), z.im), size * ir::sine(angle))};
}

Complex power(Complex z, Complex w) {
  const Value size = absolute(z), angle = atan2(z.im, z.re), logarithm = log(z).re;
  const auto times = [](Value factor, Value x) { return select(equal(factor, 0), factor, factor * x); };
  const Value direct = ir::power(size, w.re) * ir::exponential(-times(w.im, angle));
  const Value of_sum = ir::exponential(times(w.re, logarithm) - times(w.im, angle));
  const Value radius = select(and_(ir::is_finite(direct), greater(direct, 0)), direct, of_sum);
  const Value turn = times(w.re, angle) + times(w.im, logarithm);
  const Complex result = {radius * ir::cosine(turn), select(equal(turn, 0), turn, radius * ir::sine(turn))};
  const Value zero = like(z.re, 0), one = like(z.re, 1), inf = like(z.re, infinity);
  const Value nan = like(z.re, std::numeric_limits<double>::quiet_NaN());
  // 0 to the power w: 1 if w is 0, 0 if the real part of w is positive, otherwise infinity or NaN.
  const Complex of_zero = choose(greater(w.re, 0), {zero, zero}, choose(less(w.re, 0), {inf, nan}, {nan, nan}));
  return choose(equal(larger_part(w), 0), {one, zero}, choose(equal(larger_part(z), 0), of_zero, result));
}

// ---------------------------------------------------------------------------------------------------------------------
// Exponentials and logarithms

// exp x is split into two factors where it would overflow by itself.
Complex exponential(Complex z) {
  const Value is_big = greater(z.re, 700), e = ir::exponential(select(is_big, z.re * 0.5, z.re));
  const Value factor = select(is_big, e, like(e, 1));
  const Complex result = {e * ir::cosine(z.im) * factor, select(equal(z.im, 0), z.im, e * ir::sine(z.im) * factor)};
  const Value zero = like(e, 0);
  const Value vanishes = and_(equal(z.re, -infinity), not_(ir::is_finite(z.im)));
  return choose(vanishes, {zero, zero}, result);
}

Complex exponential_minus_one(Complex z) {
  const Value m = ir::exponential_minus_one(z.re), half_sine = ir::sine(z.im * 0.5);
  const Complex e = exponential(z);
  const Value near = m * ir::cosine(z.im) - half_sine * half_sine * 2;
  const Value re = select(equal(z.im, 0), m, select(greater(z.re, 700), e.re, near));
  return {re, select(ir::is_finite(z.im), e.im, re)};  // if the angle is unknown, both parts are NaN, as JAX expects
}

Complex log(Complex z) { return {log_absolute(z, add_squares(like(z.re, -1), z.re, z.im)), atan2(z.im, z.re)}; }

Complex log_plus_one(Complex z) {
  const Value x = z.re + 1;
  return {log_absolute({x, z.im}, add_squares(z.re * 2, z.re, z.im)), atan2(z.im, x)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Trigonometric and hyperbolic functions

Complex sinh(Complex z) {
  const Hyperbolic h = hyperbolic(z.re);
  return {product(ir::cosine(z.im), h.sinh, h.factor), product(ir::sine(z.im), h.cosh, h.factor)};
}

Complex cosh(Complex z) {
  const Hyperbolic h = hyperbolic(z.re);
  return {product(ir::cosine(z.im), h.cosh, h.factor), product(ir::sine(z.im), h.sinh, h.factor)};
}

Complex sine(Complex z) { return turned(sinh, z); }

Complex cosine(Complex z) { return cosh({-z.im, z.re}); }

// Kahan's formula. Beyond 20, the real part is 1 and the imaginary part is nearly 0.
Complex tanh(Complex z) {
  const Value size = abs(z.re), one = like(size, 1), is_far = greater(size, 20);
  const Value s = hyperbolic(select(is_far, one, z.re)).sinh, t = ir::tan(z.im), slope = t * t + 1;
  const Value below = slope * s * s + 1;
  const Complex near = {slope * ir::sqrt(s * s + 1) * s / below, t / below};
  const Value angle = select(and_(is_infinite(size), not_(ir::is_finite(z.im))), like(size, 0), z.im);
  const Value rest = ir::sine(angle) * ir::cosine(angle) * 4 * ir::exponential(size * -2.0);
  return choose(is_far, {select(is_nan(rest), rest, copy_sign(one, z.re)), rest}, near);
}

Complex tan(Complex z) { return turned(tanh, z); }

// ---------------------------------------------------------------------------------------------------------------------
// Inverse functions, after Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception
// handling" (1997), with x = |re|, y = |im| and a = (|z + 1| + |z - 1|) / 2.

namespace {

struct Inverse {
  Value beside;  // sqrt(a^2 - x^2): the angle is atan2(x, beside)
  Value height;  // log(a + sqrt(a^2 - 1))
};

Inverse inverse_of(Complex z) {
  const Value x = abs(z.re), y = abs(z.im), one = like(x, 1), yy = y * y;
  const Value r = hypot(x + 1, y), s = hypot(x - one, y), a = (r + s) * 0.5;
  const Value r_sum = r + (x + 1), s_sum = s + (x - one), s_difference = s + (one - x);
  const Value is_left = not_(greater(x, 1)), is_huge = greater(maximum(x, y), huge);

  const Value below_left = ir::sqrt((a + x) * 0.5 * (yy / r_sum + s_difference));
  const Value below_right = y * ir::sqrt((a + x) * 0.5 * (one / r_sum + one / s_sum));
  const Value beside = select(is_huge, y, select(is_left, below_left, below_right));

  const Value excess = (yy / r_sum + select(less(x, 1), yy / s_difference, s_sum)) * 0.5;  // a - 1
  const Value usual = ir::log_plus_one(excess + ir::sqrt(excess * (a + 1)));
  const Value flat = y / ir::sqrt((one - x) * (one + x));
  const Value of_huge = log({x, y}).re + std::numbers::ln2;
  const Value is_flat = and_(less(x, 1), less(y, 0x1p-500));
  return {beside, select(is_huge, of_huge, select(is_flat, flat, usual))};
}

}  // namespace

Complex asin(Complex z) {
  const Inverse i = inverse_of(z);
  return {atan2(z.re, i.beside), copy_sign(i.height, z.im)};
}

Complex acos(Complex z) {
  const Inverse i = inverse_of(z);
  return {atan2(i.beside, z.re), copy_sign(i.height, -z.im)};
}

Complex acosh(Complex z) {
  const Inverse i = inverse_of(z);
  return {i.height, copy_sign(atan2(i.beside, z.re), z.im)};
}

Complex asinh(Complex z) { return turned(asin, z); }

Complex atanh(Complex z) {
  const Value x = abs(z.re), y = z.im, one = like(x, 1), away = one - x, below = away * away + y * y;
  const Value is_huge = greater(maximum(x, abs(y)), huge), at_pole = and_(equal(x, 1), less(abs(y), 0x1p-500));
  const Value usual = ir::log_plus_one(x * 4 / below) * 0.25;
  const Value of_pole = (ir::log(abs(y)) * -1.0 + std::numbers::ln2) * 0.5;
  const Scaled s = scaled(z);
  const Value any_infinite = or_(is_infinite(x), is_infinite(y));
  const Value of_huge = select(any_infinite, like(x, 0), abs(s.value.re) / norm(s.value) / s.scale);
  const Value re = select(is_huge, of_huge, select(at_pole, of_pole, usual));
  const Value angle = atan2(y * 2, away * (x + 1) - y * y) * 0.5;
  const Value quarter = copy_sign(like(x, std::numbers::pi / 2), y);
  return {copy_sign(re, z.re), select(is_huge, quarter, angle)};
}

Complex atan(Complex z) { return turned(atanh, z); }

}  // namespace weft::ir::legalize::complex_math
