// What calls of host functions say besides their target, and a check that the functions exist.
#pragma once

#include <string_view>

#include <weft/ir/graph.h>

namespace weft::ir {

// A typed call of XLA's interface says more than its target. ir/text/lowering_host_call.cpp keeps this as text, {a = ..., b = ...}, in
// CustomCallAttributes::backend_config. The number of batch dimensions comes first, if there are any: the first dimensions of operands and
// results, along which the function treats each example by itself (num_batch_dims of jax.ffi and of XLA's batch partitioning).
inline constexpr std::string_view batch_dims_of_call = "num_batch_dims";
// Returns the number of batch dimensions that such a text says; 0 for any other text.
int batch_dims(std::string_view backend_config);

// Throws UnsupportedError that names the target and its place if the graph, or a region in it, calls a function that is not registered.
void require_host_functions(const Graph& graph);

}  // namespace weft::ir
