// Running sums, products, maxima and minima along a dimension: a reduce_window whose windows reach from each element to one end of the
// dimension.
#pragma once

#include <optional>

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns nullopt if the node is none of them. Outside of strict mode sums and products are kept in f64. In strict mode floats are folded in
// f32, in the order of the window, except for long sums of the elements after each one, which are kept in f64 too.
std::optional<Unit> running_fold_unit(const ir::Node& node, bool strict);

}  // namespace weft::compiler
