// Emits the kernels of loop/row_kernels.h for a GPU.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/row_kernels.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds gpu_function(name, elements).
void emit_row_sort(llvm::Module& module, const RowSort& sort, const std::string& name, const Target& target);
// Adds gpu_function(name, form) for the forms elements and vectors.
void emit_row_sum(llvm::Module& module, const RowSum& sum, const std::string& name, const Target& target);

}  // namespace weft::compiler
