// Functions of batches of matrices, [..., rows, columns], for gradients and composites.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

inline Value transposed(Value x) {
  std::vector<std::int64_t> order = all_dimensions(x);
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return transpose(x, order);
}

// The products of the matrices of two equal batches.
inline Value product(Value a, Value b) {
  const std::vector<std::int64_t> batch = dimension_range(0, a.rank() - 2);
  const std::int64_t a_columns[] = {a.rank() - 1}, b_rows[] = {a.rank() - 2};
  return dot_general(
      a, b, {.lhs_batching = batch, .rhs_batching = batch, .lhs_contracting = a_columns, .rhs_contracting = b_rows});
}

// Compares the row of every element with its column.
inline Value where_row(Value x, Direction direction) {
  const Type places = x.type().with(DType::i32);
  return compare(iota(x.graph(), places, x.rank() - 2), iota(x.graph(), places, x.rank() - 1), direction);
}

// Identity matrices of this type.
inline Value identity_like(Value x) { return select(where_row(x, Direction::EQ), constant_like(x, 1), zeros_like(x)); }

}  // namespace weft::ir
