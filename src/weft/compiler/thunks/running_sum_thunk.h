// Running sums along a dimension: a reduce_window that adds up, whose windows reach from each element to one end of the dimension.
#pragma once

#include <optional>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns nullopt if the node is no running sum. Strict: floats are added in f32, in the order of the window, except that long sums of
// what follows an element are kept in f64 as all of them are otherwise.
std::optional<Unit> running_sum_unit(const ir::Node& node, bool strict);

}  // namespace weft::compiler
