// Operations whose shape is an operand, such as dynamic_reshape, dynamic_pad and dynamic_gather. Types are static here, so such
// an operation becomes its static counterpart once the shape operands are known; they must be computable from constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::ir::legalize {

struct DynamicOperation {
  std::string_view name, becomes;  // including the dialect
  std::size_t operands;            // the number of operands that are kept
  // the attribute that each further operand becomes; "" denotes the shape of the result
  std::span<const std::string_view> attributes;
};

// Returns nullptr if there is no such operation.
const DynamicOperation* find_dynamic(std::string_view name);

// Returns the elements of a small integer tensor that can be computed from constants; nullopt otherwise.
std::optional<std::vector<std::int64_t>> constant_integers(Value value);

}  // namespace weft::ir::legalize
