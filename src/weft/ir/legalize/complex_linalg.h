// Factorises complex matrices by means of real ones: each element a + bi becomes the block [[a, -b], [b, a]] of a real matrix of
// twice the size. Products of these matrices then correspond to complex products.
#pragma once

#include <weft/ir/legalize/written.h>
#include <weft/ir/ops/linalg.h>

namespace weft::ir::legalize {

// Both work on the last two dimensions. They throw Error if the operands do not fit.
WrittenValue complex_cholesky(WrittenValue a, const CholeskyAttributes& attributes);
WrittenValue complex_triangular_solve(WrittenValue a, WrittenValue b, const TriangularSolveAttributes& attributes);

}  // namespace weft::ir::legalize
