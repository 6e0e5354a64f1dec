#include <weft/ir/legalize/complex_linalg.h>

#include <numeric>
#include <vector>

#include <weft/ir/legalize/complex_math.h>
#include <weft/ir/legalize/expand.h>
#include <weft/ir/ops.h>

namespace weft::ir::legalize {

namespace {

using Sizes = std::vector<Dim>;

Sizes dims_of(Value x) { return {x.type().dims().begin(), x.type().dims().end()}; }

Complex transposed(Complex z) {
  std::vector<std::int64_t> order(z.re.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return both(z, [&](Value v) { return transpose(v, order); });
}

// Stacks two values along a new dimension before dimension `at`.
Value stacked(Value a, Value b, int at) {
  Sizes dims = dims_of(a);
  dims.insert(dims.begin() + at, Dim(1));
  const Value parts[] = {reshape(a, dims), reshape(b, dims)};
  return concatenate(parts, at);
}

Value merged(Value x, int at) {  // merges dimension `at` with the next one
  Sizes dims = dims_of(x);
  dims[at] = x.size(at) * x.size(at + 1);
  dims.erase(dims.begin() + at + 1);
  return reshape(x, dims);
}

// Doubles the rows: each number's real part, and its imaginary part below it.
Value in_rows(Complex z) {
  const int rows = z.re.rank() - 2;
  return merged(stacked(z.re, z.im, rows + 1), rows);
}

// Doubles the rows and columns: each number becomes a 2 x 2 block.
Value in_blocks(Complex z) {
  const Value left = in_rows(z), right = in_rows({-z.im, z.re});
  return merged(stacked(left, right, z.re.rank()), z.re.rank() - 1);
}

Complex from_rows(Value x) {
  const int rows = x.rank() - 2;
  const auto take = [&](std::int64_t first) { return slice_in_dim(x, first, x.size(rows), 2, rows); };
  return {take(0), take(1)};
}

Value first_of_columns(Value x) {  // returns the first column of each pair
  const int columns = x.rank() - 1;
  return slice_in_dim(x, 0, x.size(columns), 2, columns);
}

Value is_diagonal(Value square) {
  const Type type = square.type().with(DType::i32);
  return compare(iota(square.graph(), type, type.rank() - 2), iota(square.graph(), type, type.rank() - 1),
                 Direction::EQ);
}

void require_square(Complex a) {
  const int rank = a.re.rank();
  require(rank >= 2 && a.part().dim(rank - 1) == a.part().dim(rank - 2), "takes square matrices, got ", a.type());
}

// Returns the diagonal of a, broadcast along the columns of b.
Value diagonal(Value a, Value b) {
  const std::int64_t columns[] = {a.rank() - 1};
  const Value numbers = reduce_sum(select(is_diagonal(a), a, constant_like(a, 0)), columns);
  std::vector<std::int64_t> dims(numbers.rank());
  std::iota(dims.begin(), dims.end(), 0);
  return broadcast_in_dim(numbers, b.type(), dims);
}

Complex divided(Complex a, Complex b) {
  const auto to = [](DType dtype) { return [dtype](Value v) { return convert(v, dtype); }; };
  return both(complex_math::divide(both(a, to(DType::f64)), both(b, to(DType::f64))), to(a.part().dtype()));
}

}  // namespace

Complex with_real_diagonal(Complex a) { return {a.re, select(is_diagonal(a.im), constant_like(a.im, 0), a.im)}; }

// The diagonal of the factor is real, so the factor of the block matrix is the block matrix of the factor.
Complex complex_cholesky(Complex a, const CholeskyAttributes& attributes) {
  require_square(a);
  const Value blocks = in_blocks(with_real_diagonal(a));
  const Value operands[] = {blocks};
  const Value factor = a.re.graph().append(ops::cholesky, operands, &attributes).result();
  return from_rows(first_of_columns(factor));
}

// Solves op(a) x = b after dividing every row by its diagonal element, unless that counts as 1 whatever it is. The diagonal blocks are
// then identities, so the block matrix is triangular, too.
Complex complex_triangular_solve(Complex a, Complex b, const TriangularSolveAttributes& attributes) {
  require_square(a);
  require(a.type().is_complex && b.is_complex() && a.part().dtype() == b.part().dtype() && a.re.rank() == b.re.rank(),
          "takes complex matrices of one dtype and rank, got ", a.type(), " and ", b.type());
  const int rank = a.re.rank();
  for (int d = 0; d < rank - 2; ++d)
    require(a.part().dim(d) == b.part().dim(d), "the batches of ", a.type(), " and ", b.type(), " differ");
  require(b.part().dim(rank - (attributes.left_side ? 2 : 1)) == a.part().dim(rank - 1), a.type(), " and ", b.type(),
          " do not fit");
  bool lower = attributes.lower;
  const auto turn = [&] {
    a = transposed(a);
    lower = !lower;
  };
  if (attributes.transpose_a == Transpose::ADJOINT) a.im = -a.im;
  if (attributes.transpose_a == Transpose::ADJOINT || attributes.transpose_a == Transpose::TRANSPOSE) turn();
  if (!attributes.left_side) {  // x op(a) = b is op(a)' x' = b'
    turn();
    b = transposed(b);
  }
  if (!attributes.unit_diagonal) {
    const Complex of_b = both(a, [&](Value v) { return diagonal(v, b.re); }),
                  of_a = both(a, [&](Value v) { return diagonal(v, v); });
    a = divided(a, of_a);
    b = divided(b, of_b);
  }
  const Value operands[] = {in_blocks(with_real_diagonal(a)), in_rows(b)};
  const TriangularSolveAttributes real = {.left_side = true, .lower = lower, .unit_diagonal = true};
  const Complex x = from_rows(a.re.graph().append(ops::triangular_solve, operands, &real).result());
  return attributes.left_side ? x : transposed(x);
}

}  // namespace weft::ir::legalize
