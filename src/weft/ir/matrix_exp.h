// The exponential of matrices, as the composite weft.matrix_exp.
#pragma once

#include <weft/ir/op.h>

namespace weft::ir {

inline constexpr std::string_view matrix_exp_name = "weft.matrix_exp";

// The exponential of square matrices [..., n, n] in f32 or f64: the Pade approximation [7/7] in f32 and [13/13] in f64 of the matrix divided
// by a power of two, squared as often (Higham 2005). Matrices with NaN or infinite elements give NaN.
Value matrix_exp(Value a);

// The gradient is a block of the exponential of a matrix of twice the size (Mathias 1996).
void matrix_exp_gradient(const GradientCall& c);

}  // namespace weft::ir
