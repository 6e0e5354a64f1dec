// Operations whose shape is data: dynamic_reshape, dynamic_pad, dynamic_gather and the like. Types are static here, so such an
// operation is the static one once the operands that say its shape are known; they must follow from constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct DynamicOperation {
  std::string_view name, becomes;                // with the dialect
  std::size_t operands;                          // that stay
  std::span<const std::string_view> attributes;  // what each operand after them becomes; "" is the shape of the result
};

// nullptr: it is none of them.
const DynamicOperation* find_dynamic(std::string_view name);

// The elements of a small integer tensor that follows from constants alone; nothing if it does not.
std::optional<std::vector<std::int64_t>> constant_integers(Value value);

}  // namespace weft::ir::legalize
