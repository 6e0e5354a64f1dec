// Prints a compiled program as text, for people and for other tools.
#pragma once

#include <cstdint>
#include <string>

#include <weft/compiler/compiler.h>

namespace weft::compiler {

enum class Listing : std::uint8_t {
  stablehlo,  // the graph after the passes, readable by every reader of StableHLO
  hlo,        // the same in XLA's text form, with each unit of several nodes as a fusion
  llvm,  // the LLVM IR of each distinct generated kernel, before LLVM's passes; includes kernels of loops and branches
  assembly,  // the machine code of each kernel
  plan,      // inputs, outputs, the location of every value in memory, and the thunks in their order
};

// Compiles the graph and lists it. Deterministic. Throws Error if the graph cannot be compiled.
std::string list_program(const ir::Graph& graph, Listing listing, const Options& options = {});

}  // namespace weft::compiler
