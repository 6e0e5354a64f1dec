// The host functions of linalg::eig and linalg::eigvals, of matrices [..., n, n] of f32 or f64. Internal.
#pragma once

#include <weft/tensor/custom_op.h>

namespace weft::detail {

// Results: the real and imaginary parts of the eigenvalues [..., n], then those of the eigenvectors [..., n, n].
const CustomOp& eig_op();
// Results: the real and imaginary parts of the eigenvalues.
const CustomOp& eigvals_op();

}  // namespace weft::detail
