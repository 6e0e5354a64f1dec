// A compiled program as a graph for people: text, or DOT, which Graphviz draws.
#pragma once

#include <cstddef>
#include <string>

#include <weft/runtime/program_description.h>

namespace weft::profile {

struct GraphViewOptions {
  std::string around = {};  // only what is near the instruction of that name; empty: all
  int distance = 2;         // how near
  bool expand = false;      // what is within fusions, too
};

// One line for each instruction, with the user's line; below it where each dimension comes from and, expanded, what is fused.
// Throws Error where `around` names no instruction.
std::string graph_text(const runtime::ProgramDescription& program, const GraphViewOptions& options);
std::string graph_dot(const runtime::ProgramDescription& program, const GraphViewOptions& options);

// How many instructions the view has.
std::size_t graph_size(const runtime::ProgramDescription& program, const GraphViewOptions& options);

// DOT as SVG, by Graphviz's `dot`. Throws Error where there is none, or it fails.
std::string dot_to_svg(const std::string& dot);

}  // namespace weft::profile
