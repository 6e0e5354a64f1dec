// What element by element operations of StableHLO and CHLO mean for complex numbers, as operations on their parts: one table. What
// only moves elements, and what takes regions, needs no entry: a reader does it to either part.
#pragma once

#include <span>
#include <string_view>

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

struct ComplexFunction {
  std::string_view name;  // with the dialect
  std::size_t arity;
  // Throws Error for operands that it does not take; `result` is the type that the program asks for.
  WrittenValue (*expand)(std::span<const WrittenValue> operands, WrittenType result);
};

// nullptr: it is none of them.
const ComplexFunction* find_complex(std::string_view name);

}  // namespace weft::ir::legalize
