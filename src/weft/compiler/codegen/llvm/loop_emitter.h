// Emits a loop as an LLVM function.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr buffers, ptr parameters, i64 begin, i64 end, ptr scratch) to the module.
void emit_loop(llvm::Module& module, const Loop& loop, const std::string& name, const Target& target);

}  // namespace weft::compiler
