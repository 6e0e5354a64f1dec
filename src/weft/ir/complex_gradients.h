// Gradients of the composites of complex tensors, weft.complex_NAME. Their decompositions scale numbers to avoid overflow, and are not
// differentiated. A complex value is its two parts (docs/design/complex.md), and its cotangent is that of each part.
#pragma once

#include <weft/ir/op.h>

namespace weft::ir {

// The plain product, for which there is no composite.
struct ComplexParts {
  Value re, im;
};
ComplexParts complex_multiply(ComplexParts a, ComplexParts b);

void complex_abs_gradient(const GradientCall& c);
void complex_divide_gradient(const GradientCall& c);
void complex_exponential_gradient(const GradientCall& c);
void complex_log_gradient(const GradientCall& c);
void complex_sqrt_gradient(const GradientCall& c);

// Of a Fourier transform of complex or real numbers to as many complex ones.
void fourier_gradient(const GradientCall& c);

}  // namespace weft::ir
