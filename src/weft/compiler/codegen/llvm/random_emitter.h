// Emits a generator of random bits as an LLVM function.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr state, i64 first, i64 count, ptr words) to the module: a RandomFunction.
void emit_random_blocks(llvm::Module& module, const RandomBlocks& blocks, const std::string& name,
                        const Target& target);

}  // namespace weft::compiler
