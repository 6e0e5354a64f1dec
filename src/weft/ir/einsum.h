// NumPy's einsum on values. Each letter names a dimension; the product of the operands is summed over the letters that the result
// does not have. Without an arrow, the result has the letters that occur once, in alphabetical order. Neither ellipses nor a
// repeated letter within one operand are supported.
//   const auto equation = parse_einsum("bqd,bkd->bqk", types);
//   if (equation) scores = einsum(*equation, {q, k});
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weft/base/status.h>
#include <weft/ir/value.h>

namespace weft::ir {

struct EinsumEquation {
  std::vector<std::string> operands;  // the letters of each
  std::string result;
};

// Fails if the text is no equation for operands of these types.
Result<EinsumEquation> parse_einsum(std::string_view text, std::span<const Type> operands);
// The operands have the types that the equation was parsed for, but all of one dtype.
Value einsum(const EinsumEquation& equation, std::span<const Value> operands);

}  // namespace weft::ir
