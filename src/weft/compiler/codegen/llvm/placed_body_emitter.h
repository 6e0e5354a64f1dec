// Emits the body of a scatter of rows as an LLVM function.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr rows, i64 columns, ptr accumulators, ptr updates) to the module: a PlacedBodyKernel.
void emit_placed_body(llvm::Module& module, const PlacedBody& body, const std::string& name, const Target& target);

}  // namespace weft::compiler
