// Matrix products and linear algebra. Operands of different dtypes are promoted; products of 16-bit floats accumulate in f32.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>

#include <weft/tensor/complex.h>
#include <weft/tensor/operand.h>
#include <weft/tensor/shape.h>
#include <weft/tensor/tensor.h>

namespace weft {

// NumPy's matmul: [..., m, k] with [..., k, n] gives [..., m, n]; the leading dimensions broadcast. A vector as the
// first operand is a row and as the second operand a column; its added dimension is removed from the result.
Tensor matmul(const Operand& a, const Operand& b);
// The inner product of two vectors.
Tensor dot(const Operand& a, const Operand& b);
// The outer product: [m] and [n] give [m, n].
Tensor outer(const Operand& a, const Operand& b);

// x weight^T + bias for x [..., in], weight [out, in] (PyTorch's layout) and bias [out]; the result is [..., out].
Tensor linear(const Operand& x, const Operand& weight);
Tensor linear(const Operand& x, const Operand& weight, const Operand& bias);

// a^T W_o b + bias_o for each o: a [..., m], b [..., n], weight [out, m, n] and bias [out] give [..., out].
Tensor bilinear(const Operand& a, const Operand& b, const Operand& weight);
Tensor bilinear(const Operand& a, const Operand& b, const Operand& weight, const Operand& bias);

// NumPy's einsum: einsum("bqd,bkd->bqk", {q, k}). Each letter names one dimension; a letter that an operand has twice takes its diagonal
// ("ii->i"), and an ellipsis stands for any dimensions, which broadcast ("...ij,...jk->...ik"). Without an arrow, the result has the
// dimensions of the ellipses, then the letters that occur once, in alphabetical order.
Tensor einsum(std::string_view equation, std::span<const Tensor> operands,
              std::source_location where = std::source_location::current());
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands,
              std::source_location where = std::source_location::current());

// The sum of products over the last `dims` dimensions of a and the first ones of b, or over the dimensions given for both: the other
// dimensions of a, then those of b.
Tensor tensordot(const Operand& a, const Operand& b, std::int64_t dims = 2);
Tensor tensordot(const Operand& a, const Operand& b, const Axes& of_a, const Axes& of_b);

// The elements of a diagonal of the last two dimensions: of [..., m, n], x[..., i, i + offset].
Tensor diagonal(const Operand& x, std::int64_t offset = 0);
// The matrices [..., n, n] with the vectors [..., n] on their diagonals, zero elsewhere. (torch.diag_embed)
Tensor diag_embed(const Operand& x);
// The Kronecker product of two matrices.
Tensor kron(const Operand& a, const Operand& b);
// The cross product of vectors of three elements along an axis; other dimensions broadcast.
Tensor cross(const Operand& a, const Operand& b, std::int64_t axis = -1);

// The functions of torch.linalg and jax.numpy.linalg. Matrices are the last two dimensions, the others are a batch, and broadcast between
// two operands. f64 is computed in f64 and everything else in f32; 16-bit floats are converted back. All functions have gradients; those
// of eigenvectors and singular vectors need distinct values, and are infinite or NaN elsewhere, as in PyTorch and JAX.
//
// Except for Cholesky factors and triangular systems, the work is done by LAPACK (OpenBLAS, or the reference library), which is loaded when
// it is first needed: a function throws Error if there is none. Matrices with NaN or infinite elements give NaN. On a GPU, the host
// computes them.
namespace linalg {

// The sum of the diagonal.
Tensor trace(const Operand& a);

// The lower triangular factor of a symmetric positive definite matrix: a = L L^T, or the upper one, a = U^T U. The mean of `a` and its
// transpose is factorized. NaN where `a` is not positive definite.
Tensor cholesky(const Operand& a, bool upper = false);
// Returns x with a x = b from the lower factor of `a` (or the upper one), as `cholesky` returns it.
Tensor cholesky_solve(const Operand& b, const Operand& factor, bool upper = false);

struct TriangularOptions {
  bool upper = false;          // which triangle of `a` is read
  bool left = true;            // a x = b, or x a = b
  bool unitriangular = false;  // the diagonal counts as ones
  bool transposed = false;     // a^T in place of a
};
Tensor solve_triangular(const Operand& a, const Operand& b, const TriangularOptions& options = {});

// Returns x with a x = b for square matrices `a`; b [..., n, sides], or one vector [n]. If `a` is singular, x is infinite or NaN.
Tensor solve(const Operand& a, const Operand& b);
Tensor inv(const Operand& a);

// a = P L U with partial pivoting, for any m by n: P is a permutation matrix [m, m], L [m, k] has a diagonal of ones, U is [k, n], where
// k = min(m, n). P has no gradient.
struct Lu {
  Tensor p, l, u;
  void fields(auto&& field) {
    field("p", p);
    field("l", l);
    field("u", u);
  }
};
Lu lu(const Operand& a);
Tensor det(const Operand& a);
// The sign of the determinant and the logarithm of its absolute value.
struct Slogdet {
  Tensor sign, logabsdet;
  void fields(auto&& field) {
    field("sign", sign);
    field("logabsdet", logabsdet);
  }
};
Slogdet slogdet(const Operand& a);

// a = Q R with orthonormal columns of Q: Q [m, k] and R [k, n], or Q [m, m] and R [m, n] if `complete`.
struct Qr {
  Tensor q, r;
  void fields(auto&& field) {
    field("q", q);
    field("r", r);
  }
};
Qr qr(const Operand& a, bool complete = false);

// a = V diag(values) V^T for a symmetric matrix, with ascending eigenvalues. The mean of `a` and its transpose is factorized.
struct Eigh {
  Tensor values, vectors;
  void fields(auto&& field) {
    field("values", values);
    field("vectors", vectors);
  }
};
Eigh eigh(const Operand& a);
Tensor eigvalsh(const Operand& a);

// a V = V diag(values) for any square matrix, in LAPACK's order; vectors have the norm 1. A loss may not depend on their phases, which are
// arbitrary. There are first derivatives only, and no jvp.
struct Eig {
  Complex values, vectors;
  void fields(auto&& field) {
    field("values", values);
    field("vectors", vectors);
  }
};
Eig eig(const Operand& a);
Complex eigvals(const Operand& a);

// a = U diag(s) Vh with descending singular values: U [m, k] and Vh [k, n], or square if `full_matrices` (which is not PyTorch's default).
struct Svd {
  Tensor u, s, vh;
  void fields(auto&& field) {
    field("u", u);
    field("s", s);
    field("vh", vh);
  }
};
Svd svd(const Operand& a, bool full_matrices = false);
Tensor svdvals(const Operand& a);

// The Moore-Penrose inverse. Singular values up to `rcond` times the largest one count as zero; without it, max(m, n) times the epsilon of
// the dtype. The gradient is that of matrices of constant rank.
Tensor pinv(const Operand& a, std::optional<double> rcond = {});
// The x of least norm among those that minimize |a x - b|, by the pseudo-inverse; b [..., m, sides], or one vector [m].
Tensor lstsq(const Operand& a, const Operand& b, std::optional<double> rcond = {});
// The number of singular values above `rcond` times the largest one, i32.
Tensor matrix_rank(const Operand& a, std::optional<double> rcond = {});
// The ratio of the largest to the smallest singular value.
Tensor cond(const Operand& a);

// a multiplied with itself n times; the inverse for negative n.
Tensor matrix_power(const Operand& a, std::int64_t n);
// The exponential of square matrices. (Higham 2005: a Pade approximation of degree 13 after scaling)
Tensor matrix_exp(const Operand& a);

// Norms of matrices: the root of the sum of squares, the sum of singular values, the largest and the smallest singular value, the largest
// sum of absolute values of a column and of a row.
enum class MatrixNorm : std::uint8_t { fro, nuc, largest, smallest, one, inf };
Tensor matrix_norm(const Operand& a, MatrixNorm norm = MatrixNorm::fro);
// (sum |x|^p)^(1 / p) along the axes, or of all elements; the largest absolute value for infinity, the number of nonzero elements for 0.
Tensor vector_norm(const Operand& x, double p = 2, const Axes& axes = {}, bool keepdim = false);

}  // namespace linalg

}  // namespace weft
