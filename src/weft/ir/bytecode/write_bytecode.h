// Writes programs as StableHLO portable artifacts, which bytecode.h reads: MLIR bytecode with operations of VHLO, which JAX, XLA and the other
// tools of StableHLO read if their version is that of the artifact or a newer one.
#pragma once

#include <string>
#include <string_view>

#include <weft/ir/bytecode/stablehlo_version.h>
#include <weft/ir/text/text.h>

namespace weft::ir {

struct BytecodeOptions {
  StablehloVersion target = newest_stablehlo;  // readers of this and of later versions read the program
  PrintOptions print = {.locations = true, .portable = true};
};

// Writes what print() writes as text; reading it gives the same graphs. Throws Error, which names the operation and its place, if the target
// version lacks something that the program has, and tells the first version that has it; also if the program has operations that only weft
// knows, or tensors of unknown size. Thread-safe.
std::string write_bytecode(const Module& module, const BytecodeOptions& options = {});
std::string write_bytecode(const Graph& graph, const BytecodeOptions& options = {});

// Returns whether files of this name hold bytecode: program.mlir.bc, program.mlirbc.
bool is_bytecode_name(std::string_view file);

}  // namespace weft::ir

namespace weft {
using ir::StablehloVersion;
namespace stablehlo {
using ir::BytecodeOptions;
using ir::write_bytecode;
}  // namespace stablehlo
}  // namespace weft
