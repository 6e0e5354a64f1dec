// Emits a pass of a Fourier transform.
#pragma once

#include <string>

#include <llvm/IR/Module.h>

#include <weft/compiler/loop/fft_kernel.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Adds an FftFunction of this name to the module.
void emit_fft_pass(llvm::Module& module, const FftPass& pass, const std::string& name, const Target& target);

}  // namespace weft::compiler
