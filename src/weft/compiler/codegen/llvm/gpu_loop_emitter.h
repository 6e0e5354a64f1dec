// Emits a loop as kernels of a GPU, one for each form (loop/gpu_grid.h).
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/gpu_grid.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Returns the name of the function of a form.
std::string gpu_function(const std::string& name, GpuForm form);

// Adds void name_form(ptr buffer..., i64 parameter...) to the module for each form.
void emit_gpu_loop(llvm::Module& module, const Loop& loop, const std::string& name, const Target& target);

}  // namespace weft::compiler
