// Emits the kernels of attention (loop/cpu_attention.h) for a CPU.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/cpu_attention.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds a Kernel (kernel_source.h) of this name to the module.
void emit_cpu_attention(llvm::Module& module, const CpuAttention& kernel, const std::string& name,
                        const Target& target);

}  // namespace weft::compiler
