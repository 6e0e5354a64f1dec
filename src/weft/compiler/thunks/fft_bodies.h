// The arithmetic of a Fourier transform, as bodies that are compiled for the target.
#pragma once

#include <memory>

#include <weft/base/dtype.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// y_k = w_k sum_j x_j exp(-2 pi i j k / radix). Inputs: the real parts of x, the imaginary parts of x, then the real and the imaginary
// parts of the factors w of the last `turned` outputs; the other factors are 1. Outputs: the real parts of y, then the imaginary parts.
std::shared_ptr<const ir::Graph> butterfly(int radix, int turned, DType dtype);

// The step between the transform X of n real numbers and the transform Z of the n / 2 complex numbers that they make in pairs. For operands
// a and b and a factor f, computes s + d and conj(s - d), where s = a + conj(b) and d = f (a - conj(b)); both are halved if `halves`. With
// a = Z_k, b = Z_(n/2-k) and f = -i exp(-2 pi i k / n), halved, the results are X_k and X_(n/2-k); with a = X_k, b = X_(n/2-k) and
// f = i exp(2 pi i k / n), they are Z_k and Z_(n/2-k), times 2. Inputs and outputs are those of a butterfly of radix 2.
std::shared_ptr<const ir::Graph> mirrored_butterfly(bool halves, DType dtype);

// a + b and a - b, for inputs a and b.
std::shared_ptr<const ir::Graph> sum_and_difference(DType dtype);

// (a + b i) (c + d i), for inputs a, b, c, d.
std::shared_ptr<const ir::Graph> complex_product(DType dtype);

}  // namespace weft::compiler
