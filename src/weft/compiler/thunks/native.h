// Nodes that run as a hand-written thunk of their own. A new one is one line of the table in native.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// The node as a unit; empty if no thunk covers it, which is then the interpreter's.
std::optional<Unit> native_unit(const ir::Node& node, const NativeContext& context);
// The same, or the interpreter's unit, of which a line in `fallbacks` tells.
Unit native_or_interpreted_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                                const NestedCompiler& nested);

}  // namespace weft::compiler
