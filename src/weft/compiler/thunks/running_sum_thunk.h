// Running sums along a dimension: a reduce_window that adds up, whose windows reach from each element to one end of the dimension.
#pragma once

#include <optional>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns nullopt if the node is no running sum.
std::optional<Unit> running_sum_unit(const ir::Node& node);

}  // namespace weft::compiler
