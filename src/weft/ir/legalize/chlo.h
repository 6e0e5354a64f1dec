// CHLO operations that can be expressed with StableHLO's, written with the functions of builder.h. The formulas are those of
// XLA's own decompositions (chlo-legalize-to-stablehlo), so JAX users get the same values; 16-bit floats are computed in f32.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct ChloFunction {
  std::string_view name;  // including the dialect
  std::size_t arity;
  // operands of one type; throws Error for a dtype that it does not accept
  Value (*expand)(std::span<const Value> operands);
};

// Returns nullptr if there is no such operation.
const ChloFunction* find_chlo(std::string_view name);

// Returns the k largest elements along the last dimension in descending order, NaN first, and their indices (i32). Equal elements
// are ordered by index.
std::vector<Value> chlo_top_k(Value x, std::int64_t k);

}  // namespace weft::ir::legalize
