#include <weft/ir/ops/linalg.h>

#include <algorithm>

#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

void require_square(const Call& call, Type type) {
  call.require(type.rank() >= 2 && type.dim(type.rank() - 1) == type.dim(type.rank() - 2),
               "expected square matrices, got ", type);
}

}  // namespace

void cholesky_type(const Call& call, std::vector<Type>& results) {
  require_domain(call, 0);
  require_square(call, call.type(0));
  results.push_back(call.type(0));
}

void triangular_solve_type(const Call& call, std::vector<Type>& results) {
  const auto& attributes = call.attributes<TriangularSolveAttributes>();
  const Type a = call.type(0), b = call.type(1);
  require_domain(call, 0);
  require_square(call, a);
  call.require(a.dtype() == b.dtype() && a.rank() == b.rank(), "operands must have one dtype and rank");
  const std::size_t batch = a.dims().size() - 2;
  call.require(std::ranges::equal(a.dims().first(batch), b.dims().first(batch)), "operands must have one batch");
  call.require(b.dims()[batch + (attributes.left_side ? 0 : 1)] == a.dims()[batch], "the sizes do not fit");
  call.require(attributes.transpose_a != Transpose::TRANSPOSE_INVALID, "transpose_a is invalid");
  results.push_back(b);
}

// x op(a) = b is op(a)^T x^T = b^T.
TriangularLayout triangular_layout(const TriangularSolveAttributes& attributes, Type a, Type b) {
  const std::int64_t n = a.size(a.rank() - 1), rows = b.size(b.rank() - 2), columns = b.size(b.rank() - 1);
  const bool transposed = (attributes.transpose_a != Transpose::NO_TRANSPOSE) == attributes.left_side;
  TriangularLayout layout;
  layout.system = {.size = n,
                   .row = transposed ? 1 : n,
                   .column = transposed ? n : 1,
                   .lower = attributes.lower != transposed,
                   .unit_diagonal = attributes.unit_diagonal};
  layout.vectors = attributes.left_side ? columns : rows;
  layout.start = attributes.left_side ? 1 : columns;
  layout.stride = attributes.left_side ? columns : 1;
  layout.batch = rows * columns == 0 ? 0 : b.elements() / (rows * columns);
  return layout;
}

}  // namespace weft::ir
