// The options of a backend that compiles.
#pragma once

#include <vector>

#include <weft/compiler/compiler.h>
#include <weft/record/backend.h>

namespace weft::record {

// Returns the options for the program of `graph`.
compiler::Options compiler_options(const ir::Graph& graph, Backend backend, std::vector<bool> donatable);

}  // namespace weft::record
