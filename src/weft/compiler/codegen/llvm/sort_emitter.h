// Emits the kernel of loop/sort_kernel.h for a GPU.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/sort_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds gpu_function(name, elements).
void emit_sort(llvm::Module& module, const SortKernel& sort, const std::string& name, const Target& target);

}  // namespace weft::compiler
