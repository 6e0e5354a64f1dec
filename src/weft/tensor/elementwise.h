// Functions of each element alone. Operands of different shapes broadcast as in NumPy, operands of different types are promoted
// as operand.h says; shapes that do not broadcast throw Error. The semantics are StableHLO's where nothing else is said.
// Functions that make no sense for integers (exp, sqrt...) compute integers and booleans in f32.
#pragma once

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Arithmetic. Division is true division: of integers it gives f32.
Tensor operator+(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a, const Operand& b);
Tensor operator*(const Operand& a, const Operand& b);
Tensor operator/(const Operand& a, const Operand& b);
Tensor operator-(const Operand& x);
inline Tensor& operator+=(Tensor& x, const Operand& y) {
  return x = Operand(x, y.where()) + y;
}  // x becomes another value
inline Tensor& operator-=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) - y; }
inline Tensor& operator*=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) * y; }
inline Tensor& operator/=(Tensor& x, const Operand& y) { return x = Operand(x, y.where()) / y; }
Tensor floor_divide(const Operand& a, const Operand& b);  // rounded down
Tensor remainder(const Operand& a, const Operand& b);     // with the sign of b, as in Python
// x to the power of y. A number as exponent is part of the program: another exponent is another program, and small ones are
// products and roots.
Tensor pow(const Operand& x, const Operand& y);

// Comparison and choice
Tensor operator==(const Operand& a, const Operand& b);  // of booleans
Tensor operator!=(const Operand& a, const Operand& b);
Tensor operator<(const Operand& a, const Operand& b);
Tensor operator<=(const Operand& a, const Operand& b);
Tensor operator>(const Operand& a, const Operand& b);
Tensor operator>=(const Operand& a, const Operand& b);
Tensor where(const Operand& condition, const Operand& a, const Operand& b);  // a where the condition holds, else b
Tensor maximum(const Operand& a, const Operand& b);                          // NaN if either is
Tensor minimum(const Operand& a, const Operand& b);
Tensor clamp(const Operand& x, const Operand& low, const Operand& high);
Tensor masked_fill(const Operand& x, const Operand& mask,
                   const Operand& value);                                // the value where the mask holds, else x
Tensor lerp(const Operand& a, const Operand& b, const Operand& weight);  // a + weight (b - a)
// |a - b| <= absolute + relative |b|, element by element; NaN is close to nothing.
Tensor isclose(const Operand& a, const Operand& b, double relative = 1e-5, double absolute = 1e-8);
Tensor isnan(const Operand& x);
Tensor isinf(const Operand& x);
Tensor isfinite(const Operand& x);

// Bits of integers, logic of booleans
Tensor operator&(const Operand& a, const Operand& b);
Tensor operator|(const Operand& a, const Operand& b);
Tensor operator^(const Operand& a, const Operand& b);
Tensor operator~(const Operand& x);
Tensor operator!(const Operand& x);                      // x == 0
Tensor logical_and(const Operand& a, const Operand& b);  // of anything: what is not 0 is true
Tensor logical_or(const Operand& a, const Operand& b);
Tensor logical_xor(const Operand& a, const Operand& b);
Tensor operator<<(const Tensor& x, const Operand& y);
Tensor operator>>(const Tensor& x, const Operand& y);  // keeps the sign

// Functions of one number
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
Tensor atan2(const Operand& y, const Operand& x);
Tensor erf(const Operand& x);
Tensor floor(const Operand& x);
Tensor ceil(const Operand& x);
Tensor round(const Operand& x);  // ties to even

// The same elements as another type: floating point to integer towards zero, saturating, NaN gives 0; to boolean: != 0.
Tensor convert(const Operand& x, DType dtype);

// x, through which no gradient flows.
Tensor stop_gradient(const Operand& x);

}  // namespace weft
