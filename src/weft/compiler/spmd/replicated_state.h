// Finds state that the devices of a mesh could divide among them.
#pragma once

#include <vector>

#include <weft/compiler/spmd/partition.h>
#include <weft/runtime/program_description.h>

namespace weft::compiler {

// Returns, for each axis along which some input is split, the inputs that are not split along it, although a dimension divides, and from
// which only new values of the same kind are computed, element by element: the state of an optimizer. The axis that could save the most
// comes first.
std::vector<runtime::ReplicatedState> replicated_state(const Partitioned& program);

// Returns, by node, whether something else than new elements of the same kind depends on it.
std::vector<char> used_as_whole(const ir::Graph& graph);

}  // namespace weft::compiler
