// A compiled program as text, for people and for other tools.
#pragma once

#include <cstdint>
#include <string>

#include <weft/compiler/compiler.h>

namespace weft::compiler {

enum class Listing : std::uint8_t {
  stablehlo,  // the graph after the passes, as every reader of StableHLO takes it
  hlo,        // the same in XLA's text, each unit of several nodes a fusion
  llvm,  // the LLVM IR of each distinct generated kernel, before LLVM's passes; those of loops and branches included
  assembly,  // the machine code of each
  plan,      // inputs, outputs, where everything lies in memory, and the thunks in their order
};

// Compiles the graph and lists it; deterministic. Throws Error for what cannot be compiled.
std::string list_program(const ir::Graph& graph, Listing listing, const Options& options = {});

}  // namespace weft::compiler
