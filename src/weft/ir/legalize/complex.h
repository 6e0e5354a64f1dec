// A table that expands elementwise operations of StableHLO and CHLO on complex numbers into operations on their parts. Operations
// that only move elements, and operations with regions, need no entry: a reader applies them to each part.
#pragma once

#include <span>
#include <string_view>

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

struct ComplexFunction {
  std::string_view name;  // including the dialect
  std::size_t arity;
  // Throws Error for operands that it does not accept; `result` is the type that the program asks for.
  WrittenValue (*expand)(std::span<const WrittenValue> operands, WrittenType result);
};

// Returns nullptr if there is no such operation.
const ComplexFunction* find_complex(std::string_view name);

}  // namespace weft::ir::legalize
