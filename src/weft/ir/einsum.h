// NumPy's einsum on values. Each letter names a dimension; the product of the operands is summed over the letters that the result
// does not have. A letter that an operand has twice names its diagonal. An ellipsis stands for any dimensions, which broadcast. Without an
// arrow, the result has the dimensions of the ellipses, then the letters that occur once, in alphabetical order.
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
  // The letters of each; digits name the dimensions of ellipses, the last of which is that of the highest digit.
  std::vector<std::string> operands;
  std::string result;
};

// Fails if the text is no equation for operands of these types.
Result<EinsumEquation> parse_einsum(std::string_view text, std::span<const Type> operands);
// The operands have the types that the equation was parsed for, but all of one dtype.
Value einsum(const EinsumEquation& equation, std::span<const Value> operands);

}  // namespace weft::ir
