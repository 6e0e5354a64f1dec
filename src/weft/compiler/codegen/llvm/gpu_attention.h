// Emits the kernels of attention (loop/attention_kernel.h) for a GPU.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/attention_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds void name(ptr buffer..., i64 parameter...) to the module.
void emit_attention(llvm::Module& module, const AttentionKernel& kernel, const std::string& name, const Target& target);

}  // namespace weft::compiler
