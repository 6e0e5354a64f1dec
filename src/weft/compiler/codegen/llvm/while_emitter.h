// Emits a whole while loop as an LLVM function.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/while_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr buffers) to the module, which runs the loop on the carried values, each stored at its address in `buffers`.
void emit_while(llvm::Module& module, const WhileKernel& kernel, const std::string& name, const Target& target);

}  // namespace weft::compiler
