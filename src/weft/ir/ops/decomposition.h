// Decompositions of matrices by LAPACK; ops of weft's own. Matrices are the last two dimensions, the others are a batch. Included through
// <weft/ir/ops.h>.
#pragma once

#include <weft/ir/ops/declare.h>

namespace weft::ir {

inline constexpr DTypes lapack_floats = dtypes({DType::f32, DType::f64});

struct QrAttributes {
  bool full = false;  // Q is square, instead of having min(m, n) columns
  static void fields(auto& self, auto&& field) { field("full", self.full); }
};
struct EighAttributes {
  bool lower = true;    // the triangle of the matrix that is read
  bool vectors = true;  // there is a second result
  static void fields(auto& self, auto&& field) {
    field("lower", self.lower);
    field("vectors", self.vectors);
  }
};
struct SvdAttributes {
  bool full = false;    // U and V are square
  bool vectors = true;  // there are three results
  static void fields(auto& self, auto&& field) {
    field("full", self.full);
    field("vectors", self.vectors);
  }
};
struct SolveAttributes {
  bool transposed = false;
  static void fields(auto& self, auto&& field) { field("transposed", self.transposed); }
};
struct Lu {
  Value factors, pivots, permutation;
};
struct Qr {
  Value q, r;
};
struct Eigh {
  Value values, vectors;
};
struct Svd {
  Value u, s, vt;
};

// base/factorization.h says what the results are.
Lu lu(Value a);
Qr qr(Value a, bool full);
Eigh eigh(Value a, bool lower);
Value eigenvalues(Value a, bool lower);  // of symmetric matrices
Svd svd(Value a, bool full);
Value singular_values(Value a);
Value solve(Value a, Value b, bool transposed);
Value pseudo_inverse(Value a, Value cutoff);

void lu_type(const Call& call, std::vector<Type>& results);
void qr_type(const Call& call, std::vector<Type>& results);
void eigh_type(const Call& call, std::vector<Type>& results);
void svd_type(const Call& call, std::vector<Type>& results);
void solve_type(const Call& call, std::vector<Type>& results);
void pseudo_inverse_type(const Call& call, std::vector<Type>& results);

Parts lu_parts(const Node& node);
Parts qr_parts(const Node& node);
Parts eigh_parts(const Node& node);
Parts svd_parts(const Node& node);
Parts solve_parts(const Node& node);
Parts pseudo_inverse_parts(const Node& node);

void lu_gradient(const GradientCall& c);
void qr_gradient(const GradientCall& c);
void eigh_gradient(const GradientCall& c);
void svd_gradient(const GradientCall& c);
void solve_gradient(const GradientCall& c);
void pseudo_inverse_gradient(const GradientCall& c);

void decomposition_factors(const Node& node, Factors& f);  // only the batch can be split

namespace ops {

// clang-format off: a table
WEFT_FAMILY(decomposition)

WEFT_OP(lu) {  // a [m, n]; results: both factors [m, n], pivots [min(m, n)], permutation [m]
    .name = "lu", .kind = Kind::opaque, .arity = 1, .types = lu_type, .gradient = lu_gradient, .parts = lu_parts,
    .domain = lapack_floats, .factors = decomposition_factors, .batch = batch_leading, .dialect = "weft",
};
WEFT_OP(qr) {  // a [m, n]; results: Q [m, columns], R [columns, n]
    .name = "qr", .kind = Kind::opaque, .arity = 1, .types = qr_type, .gradient = qr_gradient, .parts = qr_parts,
    .domain = lapack_floats, .attributes = schema<QrAttributes>, .factors = decomposition_factors, .batch = batch_leading,
    .dialect = "weft",
};
WEFT_OP(eigh) {  // a [n, n], symmetric; results: eigenvalues [n], eigenvectors [n, n] as columns
    .name = "eigh", .kind = Kind::opaque, .arity = 1, .types = eigh_type, .gradient = eigh_gradient, .parts = eigh_parts,
    .domain = lapack_floats, .attributes = schema<EighAttributes>, .factors = decomposition_factors, .batch = batch_leading,
    .dialect = "weft",
};
WEFT_OP(svd) {  // a [m, n]; results: singular values [min(m, n)], U [m, columns], V^T [rows, n]
    .name = "svd", .kind = Kind::opaque, .arity = 1, .types = svd_type, .gradient = svd_gradient, .parts = svd_parts,
    .domain = lapack_floats, .attributes = schema<SvdAttributes>, .factors = decomposition_factors, .batch = batch_leading,
    .dialect = "weft",
};
WEFT_OP(solve) {  // a [n, n], b [n, sides]: x with a x = b, or a^T x = b
    .name = "solve", .kind = Kind::opaque, .arity = 2, .types = solve_type, .gradient = solve_gradient, .parts = solve_parts,
    .domain = lapack_floats, .attributes = schema<SolveAttributes>, .factors = decomposition_factors, .batch = batch_leading,
    .dialect = "weft",
};
WEFT_OP(pseudo_inverse) {  // a [m, n], cutoff []; the Moore-Penrose inverse [n, m]
    .name = "pseudo_inverse", .kind = Kind::opaque, .arity = 2, .types = pseudo_inverse_type, .gradient = pseudo_inverse_gradient,
    .parts = pseudo_inverse_parts, .domain = lapack_floats, .factors = decomposition_factors, .batch = batch_leading, .dialect = "weft",
};

WEFT_FAMILY_END
// clang-format on

}  // namespace ops
}  // namespace weft::ir
