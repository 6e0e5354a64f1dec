// Linear algebra on the last two dimensions; the others are a batch. Included through <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

enum class Transpose : std::uint8_t { TRANSPOSE_INVALID, NO_TRANSPOSE, TRANSPOSE, ADJOINT };
WEFT_ENUM_NAMES(Transpose, "transpose", "TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
struct CholeskyAttributes {
  bool lower = false;
  static void fields(auto& self, auto&& field) { field("lower", self.lower); }
};
struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  Transpose transpose_a = Transpose::NO_TRANSPOSE;
  static void fields(auto& self, auto&& field) {
    field("left_side", self.left_side);
    field("lower", self.lower);
    field("unit_diagonal", self.unit_diagonal);
    field("transpose_a", self.transpose_a);
  }
};

void cholesky_type(const Call& call, std::vector<Type>& results);
void triangular_solve_type(const Call& call, std::vector<Type>& results);

void batch_factors(const Node& node, Factors& f);  // only the batch can be split
void triangular_solve_factors(const Node& node, Factors& f);
Linearity triangular_solve_linearity(const Node& node, int operand);

void cholesky_gradient(const GradientCall& c);
void triangular_solve_gradient(const GradientCall& c);

Parts cholesky_parts(const Node& node);
Parts triangular_solve_parts(const Node& node);

namespace ops {

// clang-format off: a table
WEFT_FAMILY(linalg)

WEFT_OP(cholesky) {
    .name = "cholesky", .kind = Kind::opaque, .arity = 1, .types = cholesky_type, .gradient = cholesky_gradient,
    .parts = cholesky_parts, .domain = floats, .attributes = schema<CholeskyAttributes>,
    .factors = batch_factors, .batch = batch_leading,
};
WEFT_OP(triangular_solve) {  // a, b: x with op(a) x = b, or x op(a) = b
    .name = "triangular_solve", .kind = Kind::opaque, .arity = 2, .types = triangular_solve_type,
    .gradient = triangular_solve_gradient, .parts = triangular_solve_parts, .domain = floats,
    .attributes = schema<TriangularSolveAttributes>, .factors = triangular_solve_factors, .linear = triangular_solve_linearity,
    .batch = batch_leading,
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
