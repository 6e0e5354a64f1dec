// Units of nodes whose sizes are not known when the graph is compiled, but for while, if and case, whose regions are programs.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

// The node as a unit that becomes the one that a node of known sizes gets, when they are known: a thunk of its own, or the
// interpreter's.
Unit sized_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                const NestedCompiler& nested);

}  // namespace weft::compiler
