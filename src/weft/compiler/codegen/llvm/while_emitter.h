// One whole loop as an LLVM function.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/while_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr buffers) to the module: runs the loop on the carried values, each in the bytes at its address.
void emit_while(llvm::Module& module, const WhileKernel& kernel, const std::string& name, const Target& target);

}  // namespace weft::compiler
