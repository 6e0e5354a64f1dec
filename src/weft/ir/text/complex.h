// What element by element operations of StableHLO and CHLO mean for complex numbers, as operations on their parts: one table. What
// only moves elements, and what takes regions, needs no entry (lowering_complex.cpp).
#pragma once

#include <span>
#include <string_view>

#include <weft/ir/text/written.h>

namespace weft::ir::text {

struct ComplexFunction {
  std::string_view name;  // with the dialect
  std::size_t arity;
  // Throws Error for operands that it does not take; `result` is the type that the text asks for.
  WrittenValue (*expand)(std::span<const WrittenValue> operands, WrittenType result);
};

// nullptr: it is none of them.
const ComplexFunction* find_complex(std::string_view name);

}  // namespace weft::ir::text
