// Special functions of f32 or f64, element by element, as XLA computes them.
#pragma once

#include <weft/ir/graph.h>

namespace weft::ir::text {

Value bessel_i1e(Value x);  // I1(x) exp(-|x|), the modified Bessel function of the first kind
Value digamma(Value x);     // the derivative of lgamma; NaN at the poles
Value erf_inv(Value x);
Value erfc(Value x);
Value lgamma(Value x);  // log |gamma(x)|

}  // namespace weft::ir::text
