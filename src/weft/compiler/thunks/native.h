// Nodes that run as a hand-written thunk of their own. To add one, add a line to the table in native.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/options/options.h>
#include <weft/compiler/plan/unit.h>
#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns the node's unit; nullopt if no thunk covers the node, so that the interpreter must run it.
std::optional<Unit> native_unit(const ir::Node& node, const NativeContext& context);
// Returns the same, or the interpreter's unit, which adds a line to `fallbacks`.
Unit native_or_interpreted_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                                const NestedCompiler& nested);

}  // namespace weft::compiler
