// Emits a loop as kernels of a GPU, one for each form (loop/gpu_grid.h).
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/gpu_grid.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void f(ptr buffer..., i64 parameter...) to the module for each form, where f is gpu_function(name, form).
void emit_gpu_loop(llvm::Module& module, const Loop& loop, const std::string& name, const Target& target);

}  // namespace weft::compiler
