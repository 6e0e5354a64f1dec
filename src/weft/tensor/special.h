// Special functions, with the names of torch and torch.special. 16-bit floats and integers are computed in f32. All have derivatives of any
// order by their floating-point operands.
#pragma once

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

Tensor lgamma(const Operand& x);            // log |gamma(x)|; infinite at 0, -1, ... (gammaln)
Tensor digamma(const Operand& x);           // the derivative of lgamma; NaN at 0, -1, ...
Tensor polygamma(int n, const Operand& x);  // the n-th derivative of digamma
Tensor zeta(const Operand& x,
            const Operand& q);    // the Hurwitz zeta function, the sum of (q + k)^-x for k = 0, 1, ...; NaN for x < 1
Tensor erfc(const Operand& x);    // 1 - erf(x), accurate where it is small
Tensor erfinv(const Operand& x);  // the inverse of erf: infinite at -1 and 1, NaN beyond
Tensor ndtr(const Operand& x);    // P(X <= x) for a standard normal X
Tensor logit(const Operand& p);   // log(p / (1 - p)), the inverse of sigmoid. (jax.scipy.special.logit)
Tensor entr(const Operand& x);    // -x log(x); 0 for 0, -inf below
Tensor xlogy(const Operand& x, const Operand& y);    // x log(y); 0 if x is 0 and y is not NaN
Tensor xlog1py(const Operand& x, const Operand& y);  // x log(1 + y); 0 if x is 0 and y is not NaN
Tensor sinc(const Operand& x);                       // sin(pi x) / (pi x); 1 at 0

}  // namespace weft
