// Elementwise functions. Operands of different shapes broadcast as in NumPy, and operands of different dtypes are
// promoted as operand.h describes; throws Error for shapes that do not broadcast. The semantics are those of StableHLO
// unless stated otherwise. Functions that are not defined on integers (exp, sqrt...) convert integers and booleans to
// f32.
#pragma once

#include <optional>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Arithmetic. Division is true division: for integers the result is f32.
Tensor operator+(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a, const Operand& b);
Tensor operator*(const Operand& a, const Operand& b);
Tensor operator/(const Operand& a, const Operand& b);
Tensor operator-(const Operand& x);
inline Tensor& operator+=(Tensor& x, const Operand& y) {
  return x = Operand(x, y.where()) + y;
}  // rebinds x to a new value
inline Tensor& operator-=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) - y; }
inline Tensor& operator*=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) * y; }
inline Tensor& operator/=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) / y; }
Tensor floor_divide(const Operand& a, const Operand& b);  // rounded down
Tensor remainder(const Operand& a, const Operand& b);     // with the sign of b, as in Python
Tensor fmod(const Operand& a, const Operand& b);          // with the sign of a, as in C
// x to the power of y. An exponent given as a number is part of the program: a different exponent is a different
// program, and small exponents become products and roots.
Tensor pow(const Operand& x, const Operand& y);

// Comparison and selection
Tensor operator==(const Operand& a, const Operand& b);  // elementwise; the result is boolean
Tensor operator!=(const Operand& a, const Operand& b);
Tensor operator<(const Operand& a, const Operand& b);
Tensor operator<=(const Operand& a, const Operand& b);
Tensor operator>(const Operand& a, const Operand& b);
Tensor operator>=(const Operand& a, const Operand& b);
Tensor where(const Operand& condition, const Operand& a, const Operand& b);  // a where the condition is true, else b
Tensor maximum(const Operand& a, const Operand& b);                          // NaN if either is NaN
Tensor minimum(const Operand& a, const Operand& b);
Tensor clamp(const Operand& x, const Operand& low, const Operand& high);
// `value` where the mask is true, else x.
Tensor masked_fill(const Operand& x, const Operand& mask, const Operand& value);
Tensor lerp(const Operand& a, const Operand& b, const Operand& weight);  // a + weight (b - a)
// |a - b| <= absolute + relative * |b|, elementwise; false if either is NaN.
Tensor isclose(const Operand& a, const Operand& b, double relative = 1e-5, double absolute = 1e-8);
Tensor isnan(const Operand& x);
Tensor isinf(const Operand& x);
Tensor isfinite(const Operand& x);
// x with numbers in the place of NaN and of both infinities; by default 0, and the largest and the lowest number of the dtype.
Tensor nan_to_num(const Operand& x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});

// Bitwise operations on integers, logical operations on booleans
Tensor operator&(const Operand& a, const Operand& b);
Tensor operator|(const Operand& a, const Operand& b);
Tensor operator^(const Operand& a, const Operand& b);
Tensor operator~(const Operand& x);
Tensor operator!(const Operand& x);                      // x == 0
Tensor logical_and(const Operand& a, const Operand& b);  // any dtype: nonzero means true
Tensor logical_or(const Operand& a, const Operand& b);
Tensor logical_xor(const Operand& a, const Operand& b);
Tensor operator<<(const Tensor& x, const Operand& y);
Tensor operator>>(const Tensor& x, const Operand& y);  // arithmetic shift: keeps the sign

// Functions of one operand
Tensor abs(const Operand& x);
Tensor sign(const Operand& x);
Tensor square(const Operand& x);
Tensor reciprocal(const Operand& x);
Tensor sqrt(const Operand& x);
Tensor rsqrt(const Operand& x);  // 1 / sqrt(x)
Tensor cbrt(const Operand& x);
Tensor exp(const Operand& x);
Tensor exp2(const Operand& x);
Tensor expm1(const Operand& x);
Tensor log(const Operand& x);
Tensor log1p(const Operand& x);
Tensor log2(const Operand& x);
Tensor log10(const Operand& x);
Tensor sin(const Operand& x);
Tensor cos(const Operand& x);
Tensor tan(const Operand& x);
Tensor asin(const Operand& x);
Tensor acos(const Operand& x);
Tensor atan(const Operand& x);
Tensor sinh(const Operand& x);
Tensor cosh(const Operand& x);
Tensor tanh(const Operand& x);
Tensor asinh(const Operand& x);
Tensor acosh(const Operand& x);
Tensor atanh(const Operand& x);
Tensor atan2(const Operand& y, const Operand& x);
Tensor erf(const Operand& x);
Tensor floor(const Operand& x);
Tensor ceil(const Operand& x);
Tensor round(const Operand& x);  // ties to even
Tensor trunc(const Operand& x);  // towards zero
Tensor frac(const Operand& x);   // x - trunc(x)

// Functions of two operands
Tensor hypot(const Operand& a, const Operand& b);      // sqrt(a^2 + b^2), which overflows only if the result does
Tensor logaddexp(const Operand& a, const Operand& b);  // log(exp(a) + exp(b))
Tensor copysign(const Operand& a, const Operand& b);   // |a| with the sign of b, also of a zero or NaN

// Converts x to `dtype`. Floating point to integer rounds towards zero and saturates, NaN becomes 0; to boolean: x !=
// 0.
Tensor convert(const Operand& x, DType dtype);

// Returns x; no gradient flows through the result.
Tensor stop_gradient(const Operand& x);

}  // namespace weft
