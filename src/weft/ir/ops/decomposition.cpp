#include <weft/ir/ops/decomposition.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include <weft/base/factorization.h>
#include <weft/ir/builder.h>
#include <weft/ir/factors.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

// Returns the type of a result of the same batch: [batch..., dims...].
Type of_batch(Type a, DType dtype, std::initializer_list<Dim> dims) {
  DimList list;
  for (const Dim dim : a.dims().first(a.dims().size() - 2)) list.push_back(dim);
  for (const Dim dim : dims) list.push_back(dim);
  return list.type(dtype);
}

Dim rows_of(Type a) { return a.dim(a.rank() - 2); }
Dim columns_of(Type a) { return a.dim(a.rank() - 1); }

void require_matrices(const Call& call, int operand) {
  require_domain(call, operand);
  call.require(call.type(operand).rank() >= 2, "expected matrices, got ", call.type(operand));
}
void require_square_matrices(const Call& call) {
  require_matrices(call, 0);
  call.require(rows_of(call.type(0)) == columns_of(call.type(0)), "expected square matrices, got ", call.type(0));
}

// The smaller size of the matrix, which must be known for all sizes that it may have.
Dim smaller_size(const Call& call) {
  const Dim rows = rows_of(call.type(0)), columns = columns_of(call.type(0));
  if (rows == columns || rows.max() <= columns.min()) return rows;
  call.require(columns.max() <= rows.min(), "it must be known whether the matrix has more rows or more columns");
  return columns;
}

struct MatrixSizes {
  std::int64_t m, n, k, count;  // k is the smaller one; `count` matrices
};
MatrixSizes sizes_of(Type a) {
  const std::int64_t m = rows_of(a).value(), n = columns_of(a).value();
  std::int64_t count = 1;
  for (int d = 0; d < a.rank() - 2; ++d) count *= a.size(d);
  return {m, n, std::min(m, n), count};
}

// Returns the parts of a node, one for each matrix. `compute` gets, for one matrix, functions that return the elements of an operand or a
// result: of an operand of the dtype of the first one, or of any other type.
template <class Compute>
Parts one_part_per_matrix(const Node& node, std::int64_t work, const Compute& compute) {
  const std::int64_t count = sizes_of(node.operand(0).type()).count;
  return visit(node.operand(0).type().dtype(), [&]<class T>(T) -> Parts {
    if constexpr (!std::is_same_v<T, float> && !std::is_same_v<T, double>) {
      return {};  // not in the domain
    } else {
      std::vector<std::int64_t> operand_elements, result_elements;
      const auto per_matrix = [&](Type type) { return count == 0 ? 0 : type.elements() / count; };
      for (const Value operand : node.operands) operand_elements.push_back(per_matrix(operand.type()));
      for (const Type type : node.types) result_elements.push_back(per_matrix(type));
      return {.count = count,
              .work = work,
              .compute = [=](std::int64_t begin, std::int64_t end, auto operands, auto results) {
                for (std::int64_t i = begin; i < end; ++i)
                  compute(
                      [&](int operand) {
                        return reinterpret_cast<const T*>(operands[operand]) + i * operand_elements[operand];
                      },
                      [&]<class R = T>(int result, R = {}) {
                        return reinterpret_cast<R*>(results[result]) + i * result_elements[result];
                      });
              }};
    }
  });
}

}  // namespace

Lu lu(Value a) {
  Node& node = a.graph().append(ops::lu, std::array{a});
  return {node.result(0), node.result(1), node.result(2)};
}
Qr qr(Value a, bool full) {
  const QrAttributes attributes{.full = full};
  Node& node = a.graph().append(ops::qr, std::array{a}, &attributes);
  return {node.result(0), node.result(1)};
}
Eigh eigh(Value a, bool lower) {
  const EighAttributes attributes{.lower = lower};
  Node& node = a.graph().append(ops::eigh, std::array{a}, &attributes);
  return {node.result(0), node.result(1)};
}
Value eigenvalues(Value a, bool lower) {
  const EighAttributes attributes{.lower = lower, .vectors = false};
  return a.graph().append(ops::eigh, std::array{a}, &attributes).result();
}
Svd svd(Value a, bool full) {
  const SvdAttributes attributes{.full = full};
  Node& node = a.graph().append(ops::svd, std::array{a}, &attributes);
  return {.u = node.result(1), .s = node.result(0), .vt = node.result(2)};
}
Value singular_values(Value a) {
  const SvdAttributes attributes{.vectors = false};
  return a.graph().append(ops::svd, std::array{a}, &attributes).result();
}
Value solve(Value a, Value b, bool transposed) {
  const SolveAttributes attributes{.transposed = transposed};
  return a.graph().append(ops::solve, std::array{a, b}, &attributes).result();
}
Value pseudo_inverse(Value a, Value cutoff) {
  return a.graph().append(ops::pseudo_inverse, std::array{a, cutoff}).result();
}

void lu_type(const Call& call, std::vector<Type>& results) {
  require_matrices(call, 0);
  const Type a = call.type(0);
  results.push_back(a);
  results.push_back(of_batch(a, DType::i32, {smaller_size(call)}));
  results.push_back(of_batch(a, DType::i32, {rows_of(a)}));
}

void qr_type(const Call& call, std::vector<Type>& results) {
  require_matrices(call, 0);
  const Type a = call.type(0);
  const Dim columns = call.attributes<QrAttributes>().full ? rows_of(a) : smaller_size(call);
  results.push_back(of_batch(a, a.dtype(), {rows_of(a), columns}));
  results.push_back(of_batch(a, a.dtype(), {columns, columns_of(a)}));
}

void eigh_type(const Call& call, std::vector<Type>& results) {
  require_square_matrices(call);
  const Type a = call.type(0);
  results.push_back(of_batch(a, a.dtype(), {rows_of(a)}));
  if (call.attributes<EighAttributes>().vectors) results.push_back(a);
}

void svd_type(const Call& call, std::vector<Type>& results) {
  require_matrices(call, 0);
  const Type a = call.type(0);
  const auto& attributes = call.attributes<SvdAttributes>();
  const Dim k = smaller_size(call), m = rows_of(a), n = columns_of(a);
  results.push_back(of_batch(a, a.dtype(), {k}));
  if (!attributes.vectors) return;
  results.push_back(of_batch(a, a.dtype(), {m, attributes.full ? m : k}));
  results.push_back(of_batch(a, a.dtype(), {attributes.full ? n : k, n}));
}

void solve_type(const Call& call, std::vector<Type>& results) {
  require_square_matrices(call);
  require_matrices(call, 1);
  const Type a = call.type(0), b = call.type(1);
  call.require(a.dtype() == b.dtype() && a.rank() == b.rank(), "operands must have one dtype and rank");
  const std::size_t batch = a.dims().size() - 2;
  call.require(std::ranges::equal(a.dims().first(batch), b.dims().first(batch)), "operands must have one batch");
  call.require(rows_of(a) == rows_of(b), "the matrix has ", rows_of(a), " rows, the right side ", rows_of(b));
  results.push_back(b);
}

void pseudo_inverse_type(const Call& call, std::vector<Type>& results) {
  require_matrices(call, 0);
  const Type a = call.type(0);
  call.require(call.type(1) == of_batch(a, a.dtype(), {}), "expected one cutoff for each matrix, of its dtype");
  results.push_back(of_batch(a, a.dtype(), {columns_of(a), rows_of(a)}));
}

Parts lu_parts(const Node& node) {
  const auto [m, n, k, count] = sizes_of(node.operand(0).type());
  return one_part_per_matrix(node, m * n * k, [=](const auto& operand, const auto& result) {
    lu_factor(operand(0), m, n, result(0), result(1, std::int32_t()), result(2, std::int32_t()));
  });
}

Parts qr_parts(const Node& node) {
  const auto [m, n, k, count] = sizes_of(node.operand(0).type());
  const std::int64_t columns = node.attributes<QrAttributes>().full ? m : k;
  return one_part_per_matrix(node, 4 * m * n * k, [=](const auto& operand, const auto& result) {
    qr_factor(operand(0), m, n, columns, result(0), result(1));
  });
}

Parts eigh_parts(const Node& node) {
  const std::int64_t n = sizes_of(node.operand(0).type()).n;
  const EighAttributes attributes = node.attributes<EighAttributes>();
  return one_part_per_matrix(node, 10 * n * n * n, [=](const auto& operand, const auto& result) {
    symmetric_eigen(operand(0), n, attributes.lower, result(0), attributes.vectors ? result(1) : nullptr);
  });
}

Parts svd_parts(const Node& node) {
  const auto [m, n, k, count] = sizes_of(node.operand(0).type());
  const SvdAttributes attributes = node.attributes<SvdAttributes>();
  return one_part_per_matrix(node, 20 * m * n * k, [=](const auto& operand, const auto& result) {
    weft::singular_values(operand(0), m, n, attributes.full, result(0), attributes.vectors ? result(1) : nullptr,
                          attributes.vectors ? result(2) : nullptr);
  });
}

Parts solve_parts(const Node& node) {
  const std::int64_t n = sizes_of(node.operand(0).type()).n, sides = sizes_of(node.operand(1).type()).n;
  const bool transposed = node.attributes<SolveAttributes>().transposed;
  return one_part_per_matrix(node, n * n * (n + sides), [=](const auto& operand, const auto& result) {
    solve_system(operand(0), operand(1), n, sides, transposed, result(0));
  });
}

Parts pseudo_inverse_parts(const Node& node) {
  const auto [m, n, k, count] = sizes_of(node.operand(0).type());
  return one_part_per_matrix(node, 20 * m * n * k, [=](const auto& operand, const auto& result) {
    weft::pseudo_inverse(operand(0), m, n, *operand(1), result(0));
  });
}

void decomposition_factors(const Node& node, Factors& f) {
  for (int d = 0; d < node.operand(0).rank() - 2; ++d) {
    const auto letter = f.add(node.operand(0).type().dim(d));
    for (auto& operand : f.operands) operand[d] = {letter};
    for (auto& result : f.results) result[d] = {letter};
  }
}

}  // namespace weft::ir
