#include <weft/ir/ops/linalg.h>

#include <algorithm>

#include <weft/base/triangular.h>
#include <weft/ir/factors.h>
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

Parts cholesky_parts(const Node& node) {
  const Type type = node.type();
  const std::int64_t n = type.size(type.rank() - 1), elements = n * n;
  const bool lower = node.attributes<CholeskyAttributes>().lower;
  return visit(type.dtype(), [&]<class T>(T) -> Parts {
    return {.count = n == 0 ? 0 : type.elements() / elements,
            .work = n * elements,
            .compute = [=](std::int64_t begin, std::int64_t end, auto operands, auto results) {
              const T* from = reinterpret_cast<const T*>(operands[0]);
              T* to = reinterpret_cast<T*>(results[0]);
              for (std::int64_t at = begin * elements; at < end * elements; at += elements)
                cholesky_factor(from + at, to + at, n, lower);
            }};
  });
}

// One part for each right-hand side. x op(a) = b is solved as op(a)^T x^T = b^T.
Parts triangular_solve_parts(const Node& node) {
  const auto& attributes = node.attributes<TriangularSolveAttributes>();
  const Type type = node.type();
  const std::int64_t rows = type.size(type.rank() - 2), columns = type.size(type.rank() - 1);
  const std::int64_t n = attributes.left_side ? rows : columns, sides = attributes.left_side ? columns : rows;
  const std::int64_t start = attributes.left_side ? 1 : columns, stride = attributes.left_side ? columns : 1;
  const bool transposed = (attributes.transpose_a != Transpose::NO_TRANSPOSE) == attributes.left_side;
  const TriangularSystem system{.size = n,
                                .row = transposed ? 1 : n,
                                .column = transposed ? n : 1,
                                .lower = attributes.lower != transposed,
                                .unit_diagonal = attributes.unit_diagonal};
  return visit(type.dtype(), [&]<class T>(T) -> Parts {
    return {.count = n == 0 ? 0 : type.elements() / n,
            .work = n * n,
            .in_place = 1,
            .compute = [=](std::int64_t begin, std::int64_t end, auto operands, auto results) {
              for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t matrix = i / sides, first = matrix * sides * n + i % sides * start;
                const T* b = reinterpret_cast<const T*>(operands[1]) + first;
                T* x = reinterpret_cast<T*>(results[0]) + first;
                for (std::int64_t k = 0; k < n; ++k) x[k * stride] = b[k * stride];
                system.solve(reinterpret_cast<const T*>(operands[0]) + matrix * n * n, x, stride);
              }
            }};
  });
}

void batch_factors(const Node& node, Factors& f) {
  for (int d = 0; d < node.type().rank() - 2; ++d) {
    f.results[0][d] = {f.add(node.type().dim(d))};
    for (auto& operand : f.operands) operand[d] = f.results[0][d];
  }
}

// The columns of b are systems of their own, or its rows if x stands on the left.
void triangular_solve_factors(const Node& node, Factors& f) {
  batch_factors(node, f);
  const int systems = node.type().rank() - (node.attributes<TriangularSolveAttributes>().left_side ? 1 : 2);
  f.operands[1][systems] = f.results[0][systems] = {f.add(node.type().dim(systems))};
}

Linearity triangular_solve_linearity(const Node&, int operand) {
  return operand == 1 ? Linearity::alone : Linearity::none;
}

}  // namespace weft::ir
