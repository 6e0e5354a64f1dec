// Factorisations of complex matrices by those of real ones: a complex matrix is one of twice the size, a + b i a block
// [[a, -b], [b, a]] in it, and products are products.
#pragma once

#include <weft/ir/legalize/written.h>
#include <weft/ir/ops/linalg.h>

namespace weft::ir::legalize {

// Of the last two dimensions. Throws Error where the operands do not fit.
WrittenValue complex_cholesky(WrittenValue a, const CholeskyAttributes& attributes);
WrittenValue complex_triangular_solve(WrittenValue a, WrittenValue b, const TriangularSolveAttributes& attributes);

}  // namespace weft::ir::legalize
