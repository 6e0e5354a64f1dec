// The body of a fold, applied to whole tensors.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::compiler {

// Appends what a body of rank-0 values (is_scalar_body) computes of each element of the inputs, which have one shape, and returns the
// values of its outputs.
std::vector<ir::Value> apply_body(ir::Graph& into, const ir::Graph& body, std::span<const ir::Value> inputs);

}  // namespace weft::compiler
