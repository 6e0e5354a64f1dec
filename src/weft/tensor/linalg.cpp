#include <weft/tensor/linalg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <weft/base/lapack.h>
#include <weft/ir/matrices.h>
#include <weft/ir/matrix_exp.h>
#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/eig.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/matmul.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

Dim dim_from_end(Type type, int d) { return type.dim(type.rank() - d); }

}  // namespace

Tensor diagonal(const Operand& x, std::int64_t offset) {
  Frame frame("diagonal", x);
  Tensor matrix = frame.tensor(frame.value(x));
  frame.require(matrix.rank() >= 2, "expected rank 2 or more, got ", matrix.type());
  const Dim rows = dim_from_end(matrix.type(), 2), columns = dim_from_end(matrix.type(), 1);
  if (offset != 0 || rows != columns) {
    const std::int64_t row = std::max<std::int64_t>(-offset, 0), column = std::max<std::int64_t>(offset, 0);
    const std::int64_t size = std::min(rows.value() - row, columns.value() - column);
    frame.require(size >= 0, "offset ", offset, " is outside of ", matrix.type());
    matrix = narrow(narrow(matrix, -2, row, size), -1, column, size);
  }
  return einsum("...ii->...i", {matrix});
}

Tensor diag_embed(const Operand& x) {
  Frame frame("diag_embed", x);
  const Value vector = frame.value(x);
  frame.require(vector.rank() >= 1, "expected rank 1 or more, got ", vector.type());
  Shape shape(vector.type().dims());
  shape.push_back(dim_from_end(vector.type(), 1));
  Axes places;
  for (int d = 0; d < vector.rank(); ++d) places.push_back(d);
  const Type type = Type(vector.dtype(), shape);
  const Value rows = ir::iota(frame.graph(), type.with(DType::i32), vector.rank() - 1),
              columns = ir::iota(frame.graph(), type.with(DType::i32), vector.rank());
  return frame.tensor(ir::select(ir::compare(rows, columns, ir::Direction::EQ),
                                 ir::broadcast_in_dim(vector, type, places), ir::constant(frame.graph(), type, 0)));
}

Tensor kron(const Operand& a, const Operand& b) {
  Frame frame("kron", a);
  const auto [x, y] = detail::promoted(frame, a, b);
  frame.require(x.rank() == 2 && y.rank() == 2, "expected two matrices, got ", x.type(), " and ", y.type());
  const auto dim = [](Value value, int d) { return value.type().dim(d); };
  return reshape(einsum("ij,kl->ikjl", {frame.tensor(x), frame.tensor(y)}),
                 {dim(x, 0) * dim(y, 0), dim(x, 1) * dim(y, 1)});
}

Tensor cross(const Operand& a, const Operand& b, std::int64_t axis) {
  Frame frame("cross", a);
  const auto [x, y] = detail::matched(frame, a, b);
  frame.require(x.rank() >= 1, "expected rank 1 or more, got ", x.type());
  const std::int64_t along = frame.axis(axis, x.rank());
  frame.require(x.type().dim(along) == Dim(3), "dimension ", along, " must have 3 elements, got ", x.type());
  const Tensor u = frame.tensor(x), v = frame.tensor(y);
  return roll(u * roll(v, -1, along) - roll(u, -1, along) * v, -1, along);
}

namespace linalg {

namespace {

// Matrices in the dtype in which they are computed, and the dtype of the results.
struct Matrices {
  Value value;
  DType dtype;
};

Matrices matrices(Frame& frame, const Operand& a) {
  const Value x = detail::floating(frame, a);
  frame.require(x.rank() >= 2, "expected matrices, got ", x.type());
  return {detail::as(x, detail::compute_dtype(x.dtype())), x.dtype()};
}

void require_square(const Frame& frame, Value a) {
  frame.require(a.type().dim(a.rank() - 1) == a.type().dim(a.rank() - 2), "expected square matrices, got ", a.type());
}

void require_lapack(const Frame& frame) {
  const Result<lapack::Library>& found = lapack::library();
  frame.require(found.ok(), found.reason());
}

Matrices square_matrices(Frame& frame, const Operand& a) {
  const Matrices found = matrices(frame, a);
  require_square(frame, found.value);
  return found;
}

Tensor result(Frame& frame, Value value, DType dtype) { return frame.tensor(detail::as(value, dtype)); }

Value symmetric(Value a) { return (a + ir::transposed(a)) * 0.5; }

// The row and the column of every element of matrices.
Tensor row_of(Frame& frame, Type type) {
  return frame.tensor(ir::iota(frame.graph(), type.with(DType::i32), type.rank() - 2));
}
Tensor column_of(Frame& frame, Type type) {
  return frame.tensor(ir::iota(frame.graph(), type.with(DType::i32), type.rank() - 1));
}

// A matrix and its right sides, with one batch.
struct System {
  Value a, b;
  DType dtype;
  bool is_vector;  // b was a vector

  Tensor result(Frame& frame, Value x) const {
    if (is_vector) x = ir::reshape(x, Shape(x.type().dims().first(x.rank() - 1)));
    return linalg::result(frame, x, dtype);
  }
};

// On the left, `a` is multiplied with the columns of b, otherwise with its rows.
System system(Frame& frame, const Operand& a, const Operand& b, bool left = true) {
  auto [x, y] = detail::promoted(frame, a, b);
  const DType promoted = is_float(x.dtype()) ? x.dtype() : DType::f32, computed = detail::compute_dtype(promoted);
  x = detail::as(x, computed);
  y = detail::as(y, computed);
  frame.require(x.rank() >= 2, "expected matrices, got ", x.type());
  frame.require(y.rank() >= 1, "expected a vector or matrices on the right side, got ", y.type());
  const bool is_vector = y.rank() == 1;
  frame.require(left || !is_vector, "expected matrices, got ", y.type());
  if (is_vector) y = ir::reshape(y, {y.type().dim(0), Dim(1)});
  const Dim rows = x.type().dim(x.rank() - 2), fits = y.type().dim(y.rank() - (left ? 2 : 1));
  frame.require(rows == fits, "the matrix ", x.type(), " has ", rows, " rows, the right side ", y.type(), " has ",
                fits);
  Shape batch;
  const auto lead = [](Value v) { return v.type().dims().first(v.rank() - 2); };
  frame.require(broadcast_shapes(lead(x), lead(y), batch), "the leading dimensions of ", x.type(), " and ", y.type(),
                " do not broadcast");
  const auto with_batch = [&](Value v) {
    Shape shape(batch);
    for (const Dim size : v.type().dims().last(2)) shape.push_back(size);
    return detail::broadcast(v, shape);
  };
  return {with_batch(x), with_batch(y), promoted, is_vector};
}

Value triangular(Value a, Value b, const TriangularOptions& options) {
  const ir::TriangularSolveAttributes attributes{
      .left_side = options.left,
      .lower = !options.upper,
      .unit_diagonal = options.unitriangular,
      .transpose_a = options.transposed ? ir::Transpose::TRANSPOSE : ir::Transpose::NO_TRANSPOSE};
  return a.graph().append(ir::ops::triangular_solve, std::array{a, b}, &attributes).result();
}

// The number of exchanged rows decides the sign of the permutation: 1 if even, -1 if odd.
Tensor sign_of(Frame& frame, const ir::Lu& lu) {
  const Tensor pivots = frame.tensor(lu.pivots);
  const Tensor exchanges =
      sum(pivots != frame.tensor(ir::iota(frame.graph(), lu.pivots.type(), lu.pivots.rank() - 1)), -1);
  return (1 - 2 * remainder(exchanges, 2)).to(lu.factors.dtype());
}

// The determinants of matrices of at most 3 rows, which have gradients where they are zero, too.
Tensor small_determinant(const Tensor& a, std::int64_t n) {
  const auto at = [&](std::int64_t row, std::int64_t column) { return select(select(a, -2, row), -1, column); };
  if (n == 0) return ones(Shape(a.type().dims().first(a.rank() - 2)), a.dtype());
  if (n == 1) return at(0, 0);
  if (n == 2) return at(0, 0) * at(1, 1) - at(0, 1) * at(1, 0);
  return sum(select(a, -2, 0) * cross(select(a, -2, 1), select(a, -2, 2)), -1);
}

double relative_cutoff(const Frame& frame, Value a, std::optional<double> rcond) {
  frame.require(!rcond || *rcond >= 0, "rcond must not be negative, got ", rcond.value_or(0));
  const double epsilon =
      a.dtype() == DType::f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
  if (rcond) return *rcond;
  const Dim rows = dim_from_end(a.type(), 2), columns = dim_from_end(a.type(), 1);
  frame.require(rows.is_constant() && columns.is_constant(), "rcond must be given for matrices of changing sizes, got ",
                a.type());
  return epsilon * static_cast<double>(std::max(rows.value(), columns.value()));
}

Value pseudo_inverse(Frame& frame, Value a, std::optional<double> rcond) {
  const Type numbers(a.dtype(), a.type().dims().first(a.rank() - 2));
  return ir::pseudo_inverse(a, ir::constant(frame.graph(), numbers, relative_cutoff(frame, a, rcond)));
}

}  // namespace

Tensor trace(const Operand& a) {
  Frame frame("linalg::trace", a);
  return sum(diagonal(a), -1);
}

Tensor cholesky(const Operand& a, bool upper) {
  Frame frame("linalg::cholesky", a);
  const auto [x, dtype] = square_matrices(frame, a);
  const ir::CholeskyAttributes attributes{.lower = !upper};
  return result(frame, frame.graph().append(ir::ops::cholesky, std::array{symmetric(x)}, &attributes).result(), dtype);
}

Tensor cholesky_solve(const Operand& b, const Operand& factor, bool upper) {
  Frame frame("linalg::cholesky_solve", b);
  const System s = system(frame, factor, b);
  require_square(frame, s.a);
  const Value half = triangular(s.a, s.b, {.upper = upper, .transposed = upper});
  return s.result(frame, triangular(s.a, half, {.upper = upper, .transposed = !upper}));
}

Tensor solve_triangular(const Operand& a, const Operand& b, const TriangularOptions& options) {
  Frame frame("linalg::solve_triangular", a);
  const System s = system(frame, a, b, options.left);
  require_square(frame, s.a);
  return s.result(frame, triangular(s.a, s.b, options));
}

Tensor solve(const Operand& a, const Operand& b) {
  Frame frame("linalg::solve", a);
  const System s = system(frame, a, b);
  require_square(frame, s.a);
  require_lapack(frame);
  return s.result(frame, ir::solve(s.a, s.b, false));
}

Tensor inv(const Operand& a) {
  Frame frame("linalg::inv", a);
  const auto [x, dtype] = square_matrices(frame, a);
  require_lapack(frame);
  const Tensor identity = diag_embed(ones(Shape(x.type().dims().first(x.rank() - 1)), x.dtype()));
  return result(frame, ir::solve(x, frame.value(identity), false), dtype);
}

Lu lu(const Operand& a) {
  Frame frame("linalg::lu", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  const ir::Lu packed = ir::lu(x);
  const Tensor factors = frame.tensor(packed.factors), order = frame.tensor(packed.permutation);
  const Dim m = x.type().dim(x.rank() - 2), n = x.type().dim(x.rank() - 1);
  Tensor l = tril(factors, -1), u = triu(factors);
  if (m != n) {
    const std::int64_t k = std::min(m.value(), n.value());
    l = narrow(l, -1, 0, k);
    u = narrow(u, -2, 0, k);
  }
  l = l + where(row_of(frame, l.type()) == column_of(frame, l.type()), ones_like(l), zeros_like(l));
  // Column i of P has its one in row order[i].
  Shape square(order.shape());
  square.push_back(m);
  const Tensor p = (unsqueeze(order, -2) == row_of(frame, Type(dtype, square))).to(dtype);
  return {p, l.to(dtype), u.to(dtype)};
}

Tensor det(const Operand& a) {
  Frame frame("linalg::det", a);
  const auto [x, dtype] = square_matrices(frame, a);
  const Dim n = x.type().dim(x.rank() - 1);
  if (n.is_constant() && n.value() <= 3) return small_determinant(frame.tensor(x), n.value()).to(dtype);
  require_lapack(frame);
  const ir::Lu lu = ir::lu(x);
  return (sign_of(frame, lu) * prod(diagonal(frame.tensor(lu.factors)), -1)).to(dtype);
}

Slogdet slogdet(const Operand& a) {
  Frame frame("linalg::slogdet", a);
  const auto [x, dtype] = square_matrices(frame, a);
  require_lapack(frame);
  const ir::Lu lu = ir::lu(x);
  const Tensor pivots = diagonal(frame.tensor(lu.factors));
  return {(sign_of(frame, lu) * prod(sign(pivots), -1)).to(dtype), sum(log(abs(pivots)), -1).to(dtype)};
}

Qr qr(const Operand& a, bool complete) {
  Frame frame("linalg::qr", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  const auto [q, r] = ir::qr(x, complete);
  return {result(frame, q, dtype), result(frame, r, dtype)};
}

Eigh eigh(const Operand& a) {
  Frame frame("linalg::eigh", a);
  const auto [x, dtype] = square_matrices(frame, a);
  require_lapack(frame);
  const auto [values, vectors] = ir::eigh(symmetric(x), true);
  return {result(frame, values, dtype), result(frame, vectors, dtype)};
}

Tensor eigvalsh(const Operand& a) {
  Frame frame("linalg::eigvalsh", a);
  const auto [x, dtype] = square_matrices(frame, a);
  require_lapack(frame);
  return result(frame, ir::eigenvalues(symmetric(x), true), dtype);
}

Eig eig(const Operand& a) {
  Frame frame("linalg::eig", a);
  const Value x = square_matrices(frame, a).value;
  require_lapack(frame);
  const std::vector<Tensor> parts = detail::eig_op().apply(std::array{frame.tensor(x)}, a.where());
  return {.values = {parts[0], parts[1]}, .vectors = {parts[2], parts[3]}};
}

Complex eigvals(const Operand& a) {
  Frame frame("linalg::eigvals", a);
  const Value x = square_matrices(frame, a).value;
  require_lapack(frame);
  const std::vector<Tensor> parts = detail::eigvals_op().apply(std::array{frame.tensor(x)}, a.where());
  return {parts[0], parts[1]};
}

Svd svd(const Operand& a, bool full_matrices) {
  Frame frame("linalg::svd", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  const auto [u, s, vt] = ir::svd(x, full_matrices);
  return {result(frame, u, dtype), result(frame, s, dtype), result(frame, vt, dtype)};
}

Tensor svdvals(const Operand& a) {
  Frame frame("linalg::svdvals", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  return result(frame, ir::singular_values(x), dtype);
}

Tensor pinv(const Operand& a, std::optional<double> rcond) {
  Frame frame("linalg::pinv", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  return result(frame, pseudo_inverse(frame, x, rcond), dtype);
}

Tensor lstsq(const Operand& a, const Operand& b, std::optional<double> rcond) {
  Frame frame("linalg::lstsq", a);
  const System s = system(frame, a, b);
  require_lapack(frame);
  return s.result(frame, detail::matmul(pseudo_inverse(frame, s.a, rcond), s.b));
}

Tensor matrix_rank(const Operand& a, std::optional<double> rcond) {
  Frame frame("linalg::matrix_rank", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  const Tensor s = frame.tensor(ir::singular_values(x));
  const double cutoff = relative_cutoff(frame, x, rcond);
  return sum(s > max(s, -1, true) * cutoff, -1).to(DType::i32);
}

Tensor cond(const Operand& a) {
  Frame frame("linalg::cond", a);
  const auto [x, dtype] = matrices(frame, a);
  require_lapack(frame);
  const Tensor s = frame.tensor(ir::singular_values(x));
  return (select(s, -1, 0) / select(s, -1, -1)).to(dtype);
}

Tensor matrix_power(const Operand& a, std::int64_t n) {
  Frame frame("linalg::matrix_power", a);
  const auto [x, dtype] = square_matrices(frame, a);
  Tensor base = frame.tensor(x);
  if (n < 0) base = inv(base);
  Tensor power;
  for (std::uint64_t rest = n < 0 ? -static_cast<std::uint64_t>(n) : n; rest != 0; rest >>= 1) {
    if (rest & 1) power = power.defined() ? matmul(power, base) : base;
    if (rest > 1) base = matmul(base, base);
  }
  if (n == 0) power = diag_embed(ones(Shape(x.type().dims().first(x.rank() - 1)), x.dtype()));
  return power.to(dtype);
}

Tensor matrix_exp(const Operand& a) {
  Frame frame("linalg::matrix_exp", a);
  const auto [x, dtype] = square_matrices(frame, a);
  require_lapack(frame);
  return result(frame, ir::matrix_exp(x), dtype);
}

Tensor matrix_norm(const Operand& a, MatrixNorm kind) {
  Frame frame("linalg::matrix_norm", a);
  const auto [x, dtype] = matrices(frame, a);
  const Tensor matrix = frame.tensor(x);
  const auto singular = [&] {
    require_lapack(frame);
    return frame.tensor(ir::singular_values(x));
  };
  const auto norm_of = [&] {
    switch (kind) {
      case MatrixNorm::fro: return norm(matrix, {-2, -1});
      case MatrixNorm::nuc: return sum(singular(), -1);
      case MatrixNorm::largest: return max(singular(), -1);
      case MatrixNorm::smallest: return min(singular(), -1);
      case MatrixNorm::one: return max(sum(abs(matrix), -2), -1);
      case MatrixNorm::inf: return max(sum(abs(matrix), -1), -1);
    }
    __builtin_unreachable();
  };
  return norm_of().to(dtype);
}

Tensor vector_norm(const Operand& x, double p, const Axes& axes, bool keepdim) {
  Frame frame("linalg::vector_norm", x);
  const Value value = detail::floating(frame, x);
  const Tensor given = frame.tensor(value), wide = given.to(detail::compute_dtype(value.dtype()));
  const auto norm_of = [&] {
    if (p == 2) return norm(wide, axes, keepdim);
    if (p == 0) return sum((wide != 0).to(wide.dtype()), axes, keepdim);
    if (p == 1) return sum(abs(wide), axes, keepdim);
    if (std::isinf(p)) return p > 0 ? max(abs(wide), axes, keepdim) : min(abs(wide), axes, keepdim);
    const Tensor total = sum(pow(abs(wide), p), axes, keepdim), zero = constant(0, wide.dtype());
    const Tensor is_zero = total == zero;  // the gradient of a norm has no direction there
    return where(is_zero, zero, pow(where(is_zero, constant(1, wide.dtype()), total), 1 / p));
  };
  return norm_of().to(given.dtype());
}

}  // namespace linalg

}  // namespace weft
