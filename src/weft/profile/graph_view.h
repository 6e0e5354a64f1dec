// Shows a compiled program as a graph: as text, or as DOT for Graphviz.
#pragma once

#include <cstddef>
#include <string>

#include <weft/runtime/program_description.h>

namespace weft::profile {

struct GraphViewOptions {
  std::string around = {};  // show only what is near the instruction of that name; empty: everything
  int distance = 2;         // number of edges that counts as near
  bool expand = false;      // also show the contents of fusions
};

// Prints one line for each instruction, with the user's line; below it the origin of each dimension and, if expanded, the
// contents of the fusion. Throws Error if `around` names no instruction.
std::string graph_text(const runtime::ProgramDescription& program, const GraphViewOptions& options);
std::string graph_dot(const runtime::ProgramDescription& program, const GraphViewOptions& options);

// Returns the number of instructions in the view.
std::size_t graph_size(const runtime::ProgramDescription& program, const GraphViewOptions& options);

// Converts DOT to SVG with Graphviz's `dot`. Throws Error if it is missing or fails.
std::string dot_to_svg(const std::string& dot);

}  // namespace weft::profile
