// Programs with narrow types (base/narrow.h) become programs with the types that the compiler knows. Values are held as bytes (narrow_codes.h);
// what only moves them moves the bytes, and what computes with them decodes them first and encodes the results.
#pragma once

#include <memory>

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns whether a graph has no narrow types, or can be made a graph without them: not if an op with a narrow operand or result is a call of
// a function of the host or a composite, makes random bits, or factorises matrices.
bool can_compile_types(const ir::Graph& graph);

// Returns the graph without narrow types, whose inputs and outputs have the same bytes as those of the given one. Returns null if it has none,
// and if it cannot be without them.
std::shared_ptr<const ir::Graph> widen_narrow_types(const ir::Graph& graph);

}  // namespace weft::compiler
