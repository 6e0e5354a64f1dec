// The arithmetic of a Fourier transform, as bodies that are compiled for the target.
#pragma once

#include <memory>

#include <weft/base/dtype.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// y_k = w_k sum_j x_j exp(-2 pi i j k / radix). Inputs: the real parts of x, the imaginary parts of x, then the real and the imaginary
// parts of the factors w of the last `turned` outputs; the other factors are 1. Outputs: the real parts of y, then the imaginary parts.
std::shared_ptr<const ir::Graph> butterfly(int radix, int turned, DType dtype);

// (a + b i) (c + d i), for inputs a, b, c, d.
std::shared_ptr<const ir::Graph> complex_product(DType dtype);

}  // namespace weft::compiler
