// Decides which loops become one kernel.
#pragma once

#include <optional>

#include <weft/compiler/loop/while_kernel.h>
#include <weft/compiler/options/options.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns the loop as a kernel; nullopt if a value is too large for registers, a node has no scalar form, or in strict mode the order of a
// sum could change.
std::optional<WhileKernel> while_kernel(const ir::Graph& condition, const ir::Graph& body, const Options& options);

}  // namespace weft::compiler
