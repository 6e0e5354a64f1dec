// Functions of complex numbers whose parts are f64. Each part is accurate to a few units in the last place as far as the formulas
// allow. The functions overflow only where the result does, and treat branch cuts, signed zeros and infinities as C's <complex.h>
// does.
#pragma once

#include <weft/ir/legalize/complex_parts.h>

namespace weft::ir::legalize::complex_math {

Complex multiply(Complex a, Complex b);  // the plain product; the parts may have any dtype

Value absolute(Complex z);
Value absolute_of_f32(Complex z);  // of f32 numbers, widened to f64, whose squares are in its range
Complex acos(Complex z);
Complex acosh(Complex z);
Complex asin(Complex z);
Complex asinh(Complex z);
Complex atan(Complex z);
Complex atanh(Complex z);
Complex cbrt(Complex z);  // the root with the smallest angle
Complex cosine(Complex z);
Complex cosh(Complex z);
Complex divide(Complex a, Complex b);
Complex exponential(Complex z);
Complex exponential_minus_one(Complex z);
Complex log(Complex z);
Complex log_plus_one(Complex z);
Complex power(Complex z, Complex w);
Complex rsqrt(Complex z);
Complex sign(Complex z);  // z / |z|; 0 for 0
Complex sine(Complex z);
Complex sinh(Complex z);
Complex sqrt(Complex z);
Complex tan(Complex z);
Complex tanh(Complex z);

}  // namespace weft::ir::legalize::complex_math
