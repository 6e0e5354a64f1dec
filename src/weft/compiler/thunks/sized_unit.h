// Units of nodes whose sizes are unknown at compile time, except while, if and case, whose regions are programs.
#pragma once

#include <string>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/nested_compiler.h>

namespace weft::compiler {

// Returns a unit that, once the sizes are known, becomes the unit that a node of known sizes gets: a hand-written thunk or the
// interpreter's.
Unit sized_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                const NestedCompiler& nested);

}  // namespace weft::compiler
