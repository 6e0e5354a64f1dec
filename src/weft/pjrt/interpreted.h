// Programs that only the interpreter runs: those with elements narrower than a byte, or of eight-bit floating-point types.
#pragma once

#include <memory>
#include <string>

#include <weft/ir/graph.h>
#include <weft/runtime/executable.h>

namespace weft::pjrt {

// Returns whether the graph, or a region in it, has values of such types.
bool has_narrow_types(const ir::Graph& graph);

// Returns a program that interprets the graph in one step.
std::shared_ptr<const runtime::Executable> interpreted(std::shared_ptr<const ir::Graph> graph, std::string name);

}  // namespace weft::pjrt
