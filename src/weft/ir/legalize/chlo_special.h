// Elementwise special functions of f32 or f64, computed as XLA computes them.
#pragma once

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

Value bessel_i1e(Value x);  // I1(x) exp(-|x|), the modified Bessel function of the first kind
Value digamma(Value x);     // the derivative of lgamma; NaN at the poles
// Computes erf of f32 or f64 without weft's own op of that name, which StableHLO lacks.
Value erf_by_arithmetic(Value x);
Value erf_inv(Value x);
Value erfc(Value x);
Value lgamma(Value x);              // log |gamma(x)|
Value polygamma(Value n, Value x);  // the n-th derivative of digamma; NaN if n is not a natural number
Value zeta(Value x, Value q);       // the Hurwitz zeta function, the sum of (q + k)^-x; NaN for x < 1

}  // namespace weft::ir::legalize
