// Emits the kernel of loop/random_fill.h for a GPU.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/random_fill.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds gpu_function(name, elements).
void emit_random_fill(llvm::Module& module, const RandomFill& fill, const std::string& name, const Target& target);

}  // namespace weft::compiler
