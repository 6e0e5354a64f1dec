// Gradients of factorizations and linear systems. Formulas: Giles 2008 (an extended collection of matrix derivative results), Seeger et al.
// 2017 (auto-differentiating linear algebra), Golub & Pereyra 1973 (the pseudo-inverse).
#include <array>

#include <weft/ir/matrices.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

Value part(Value x, Direction direction) { return select(where_row(x, direction), x, zeros_like(x)); }
Value lower_part(Value x) { return part(x, Direction::GE); }
Value strict_lower_part(Value x) { return part(x, Direction::GT); }
Value upper_part(Value x) { return part(x, Direction::LE); }
Value diagonal_part(Value x) { return part(x, Direction::EQ); }
// The square matrix that a lower triangle with half of its diagonal gives.
Value halved_lower_part(Value x) { return strict_lower_part(x) + diagonal_part(x) * 0.5; }

// A vector for each matrix, as numbers for its rows or for its columns.
Value of_rows(Value vector, Value matrix) {
  return broadcast_in_dim(vector, matrix.type(), dimension_range(0, vector.rank()));
}
Value of_columns(Value vector, Value matrix) {
  std::vector<std::int64_t> dims = dimension_range(0, vector.rank());
  dims.back() = matrix.rank() - 1;
  return broadcast_in_dim(vector, matrix.type(), dims);
}

// The gradient with respect to one triangle of a symmetric matrix, where the other triangle is not read.
Value of_triangle(Value gradient, bool lower) {
  const Value sum = gradient + transposed(gradient);
  const Value triangle = halved_lower_part(sum);
  return lower ? triangle : transposed(triangle);
}

Value triangular(Value a, Value b, const TriangularSolveAttributes& attributes) {
  return a.graph().append(ops::triangular_solve, std::array{a, b}, &attributes).result();
}
// Returns op(a)^-1 b, or b op(a)^-1, where op is the transposition if `transpose`.
Value inverse_times(Value a, Value b, bool lower, bool transpose, bool unit = false) {
  return triangular(a, b, {true, lower, unit, transpose ? Transpose::TRANSPOSE : Transpose::NO_TRANSPOSE});
}
Value times_inverse(Value b, Value a, bool lower, bool transpose, bool unit = false) {
  return triangular(a, b, {false, lower, unit, transpose ? Transpose::TRANSPOSE : Transpose::NO_TRANSPOSE});
}

// The columns [begin, end), or the rows, of every matrix; both sizes of the matrices must be known.
Value cut(Value x, std::int64_t dim, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> start(x.rank(), 0), limit(x.rank()), strides(x.rank(), 1);
  for (int d = 0; d < x.rank(); ++d) limit[d] = x.type().size(d);
  start[dim] = begin;
  limit[dim] = end;
  return slice(x, start, limit, strides);
}

// The cotangent of result i of a node.
Value cotangent(const GradientCall& c, int i) { return c.dy(i) ? c.dy(i) : zeros_like(c.y(i)); }

Dim rows_of(Value x) { return x.type().dim(x.rank() - 2); }
Dim columns_of(Value x) { return x.type().dim(x.rank() - 1); }
bool is_square(Value x) { return rows_of(x) == columns_of(x); }

// The gradient of a = q r, where r is square.
Value tall_qr_gradient(Value q, Value r, Value dq, Value dr) {
  const Value m = product(r, transposed(dr)) - product(transposed(dq), q);
  const Value symmetric = lower_part(m) + transposed(strict_lower_part(m));
  return times_inverse(dq + product(q, symmetric), r, false, true);
}

Value skew_part(Value x) { return x - transposed(x); }

}  // namespace

void cholesky_gradient(const GradientCall& c) {
  const bool lower = c.node.attributes<CholeskyAttributes>().lower;
  const Value l = lower ? c.y() : transposed(c.y()), dl = lower ? c.dy() : transposed(c.dy());
  const Value inner = halved_lower_part(product(transposed(l), lower_part(dl)));
  c.add(0, of_triangle(times_inverse(inverse_times(l, inner, true, true), l, true, false), lower));
}

void triangular_solve_gradient(const GradientCall& c) {
  TriangularSolveAttributes attributes = c.node.attributes<TriangularSolveAttributes>();
  const bool is_transposed = attributes.transpose_a != Transpose::NO_TRANSPOSE;
  attributes.transpose_a = is_transposed ? Transpose::NO_TRANSPOSE : Transpose::TRANSPOSE;
  const Value db = triangular(c.x(0), c.dy(), attributes);
  c.add(1, db);
  if (!c.needs(0)) return;
  const Value left = attributes.left_side ? db : transposed(c.y()),
              right = attributes.left_side ? transposed(c.y()) : db;
  const Value full = -product(left, right), da = is_transposed ? transposed(full) : full;
  const Direction triangle = attributes.lower ? (attributes.unit_diagonal ? Direction::GT : Direction::GE)
                                              : (attributes.unit_diagonal ? Direction::LT : Direction::LE);
  c.add(0, part(da, triangle));
}

void lu_gradient(const GradientCall& c) {
  if (!c.dy(0)) return;
  const Value factors = c.y(), d = c.dy(), permutation = c.y(2);
  const std::int64_t row_dim = factors.rank() - 2, column_dim = factors.rank() - 1;
  // The square blocks of both factors, and what is below or beside them.
  Value square = factors, d_square = d;
  std::int64_t m = 0, n = 0, k = 0;
  if (!is_square(factors)) {
    m = rows_of(factors).value(), n = columns_of(factors).value(), k = std::min(m, n);
    square = cut(cut(factors, row_dim, 0, k), column_dim, 0, k);
    d_square = cut(cut(d, row_dim, 0, k), column_dim, 0, k);
  }
  const Value l = strict_lower_part(square) + identity_like(square), u = upper_part(square);
  Value below = product(transposed(l), strict_lower_part(d_square)),
        above = product(upper_part(d_square), transposed(u));
  Value rest;
  if (m > k) {
    const Value l2 = cut(factors, row_dim, k, m), dl2 = cut(d, row_dim, k, m);
    above = above - product(transposed(l2), dl2);
    rest = times_inverse(dl2, u, false, true);
  } else if (n > k) {
    const Value u2 = cut(factors, column_dim, k, n), du2 = cut(d, column_dim, k, n);
    below = below - product(du2, transposed(u2));
    rest = inverse_times(l, du2, true, true, true);
  }
  const Value inner = strict_lower_part(below) + upper_part(above);
  Value da = times_inverse(inverse_times(l, inner, true, true, true), u, false, true);
  if (rest) da = concatenate(std::array{da, rest}, m > k ? row_dim : column_dim);
  // Row i of the product of the factors is row permutation[i] of the operand.
  std::vector<Dim> square_dims(factors.type().dims().begin(), factors.type().dims().end());
  square_dims.back() = square_dims[row_dim];
  const Type places(DType::i32, square_dims);
  const Value chosen = broadcast_in_dim(permutation, places, dimension_range(0, permutation.rank()));
  const Value order = convert(compare(chosen, iota(c.x().graph(), places, column_dim), Direction::EQ), factors.dtype());
  c.add(0, product(transposed(order), da));
}

void qr_gradient(const GradientCall& c) {
  const Value q = c.y(0), r = c.y(1), dq = cotangent(c, 0), dr = cotangent(c, 1);
  if (is_square(r)) return c.add(0, tall_qr_gradient(q, r, dq, dr));
  const std::int64_t m = rows_of(r).value(), n = columns_of(r).value(), dim = r.rank() - 1;
  require(m < n, "qr: the gradient is not defined for a square Q of matrices with more rows than columns, got ",
          c.x().type());
  // The first columns of the matrix determine Q, and Q the rest of R.
  const Value rest = cut(c.x(), dim, m, n), d_rest = cut(dr, dim, m, n);
  const Value first =
      tall_qr_gradient(q, cut(r, dim, 0, m), dq + product(rest, transposed(d_rest)), cut(dr, dim, 0, m));
  c.add(0, concatenate(std::array{first, product(q, d_rest)}, dim));
}

void eigh_gradient(const GradientCall& c) {
  const auto& attributes = c.node.attributes<EighAttributes>();
  const auto [values, vectors] = attributes.vectors ? Eigh{c.y(0), c.y(1)} : eigh(c.x(), attributes.lower);
  Value inner = zeros_like(vectors);
  if (c.dy(0)) inner = select(where_row(vectors, Direction::EQ), of_rows(c.dy(0), vectors), inner);
  if (attributes.vectors && c.dy(1)) {
    const Value gap = of_columns(values, vectors) - of_rows(values, vectors);
    const Value rotation =
        product(transposed(vectors), c.dy(1)) / select(where_row(gap, Direction::EQ), constant_like(gap, 1), gap);
    inner = inner + part(rotation, Direction::NE);
  }
  c.add(0, of_triangle(product(product(vectors, inner), transposed(vectors)), attributes.lower));
}

void svd_gradient(const GradientCall& c) {
  const auto& attributes = c.node.attributes<SvdAttributes>();
  const auto [u, s, vt] = attributes.vectors ? Svd{.u = c.y(1), .s = c.y(0), .vt = c.y(2)} : svd(c.x(), false);
  require(rows_of(vt) == columns_of(u),
          "svd: the gradient is not defined for square factors of matrices that are not square, got ", c.x().type());
  const Value square = zeros_like(is_square(u) ? u : vt);
  Value inner = square;
  if (c.dy(0)) inner = select(where_row(square, Direction::EQ), of_rows(c.dy(0), square), inner);
  const Value v = transposed(vt);
  const bool has_du = attributes.vectors && c.dy(1), has_dv = attributes.vectors && c.dy(2);
  if (has_du || has_dv) {
    const Value columns = of_columns(s, square), rows = of_rows(s, square);
    const Value is_diagonal = where_row(square, Direction::EQ);
    // s_j^2 - s_i^2, without cancellation
    const Value gap = select(is_diagonal, constant_like(square, 1), (columns - rows) * (columns + rows));
    if (has_du) inner = inner + skew_part(product(transposed(u), c.dy(1))) / gap * columns;
    if (has_dv) inner = inner + rows * (skew_part(product(vt, transposed(c.dy(2)))) / gap);
  }
  Value da = product(product(u, inner), vt);
  // Changes of U and V may leave the spaces of their columns if they are not square.
  if (has_du && !is_square(u)) {
    const Value outside = c.dy(1) - product(u, product(transposed(u), c.dy(1)));
    da = da + product(outside / of_columns(s, outside), vt);
  }
  if (has_dv && !is_square(vt)) {
    const Value outside = c.dy(2) - product(product(c.dy(2), v), vt);
    da = da + product(u, outside / of_rows(s, outside));
  }
  c.add(0, da);
}

void solve_gradient(const GradientCall& c) {
  const bool is_transposed = c.node.attributes<SolveAttributes>().transposed;
  const Value db = solve(c.x(0), c.dy(), !is_transposed);
  c.add(1, db);
  if (!c.needs(0)) return;
  c.add(0, -(is_transposed ? product(c.y(), transposed(db)) : product(db, transposed(c.y()))));
}

void pseudo_inverse_gradient(const GradientCall& c) {
  const Value a = c.x(), p = c.y(), pt = transposed(p), dyt = transposed(c.dy());
  // The parts of a change that leave the row space and the column space.
  const Value from_left = product(dyt, product(p, pt)), from_right = product(product(pt, p), dyt);
  c.add(0, -product(product(pt, c.dy()), pt) + (from_left - product(a, product(p, from_left))) +
               (from_right - product(product(from_right, p), a)));
}

}  // namespace weft::ir
