// CHLO operations that are functions of StableHLO's: what they mean, written with the functions of builder.h. The formulas are
// those of XLA's own decompositions (chlo-legalize-to-stablehlo), whose values JAX users know; 16-bit floats are computed in f32.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct ChloFunction {
  std::string_view name;  // with the dialect
  std::size_t arity;
  Value (*expand)(std::span<const Value> operands);  // of one type; throws Error for a dtype that it does not take
};

// nullptr: it is none of them.
const ChloFunction* find_chlo(std::string_view name);

// The k largest along the last dimension in descending order, NaN first, and their indices (i32); equal ones by index.
std::vector<Value> chlo_top_k(Value x, std::int64_t k);

}  // namespace weft::ir::legalize
