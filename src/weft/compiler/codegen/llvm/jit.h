// Compiles loops to machine code. This header hides LLVM: no header outside this folder includes LLVM's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Machine code of some kernels, which the owner keeps mapped.
struct KernelCode {
  std::vector<KernelAddress> kernels;  // in the order of the sources
  std::shared_ptr<const void> owner;
};

// Compiles each source for the target to an object file with one function of the given name, on several threads; for a GPU, to PTX with a
// function for each form. Deterministic. Throws
// InternalError if LLVM fails.
std::vector<std::string> make_objects(std::span<const KernelSource> sources, std::span<const std::string> names,
                                      const Target& target);
// Maps object files; returns their kernels in the same order. The objects are trusted to come from make_objects.
KernelCode load_objects(std::span<const std::string* const> objects, std::span<const std::string> names);
// The same for a GPU: the kernels are GpuKernels.
KernelCode gpu_kernels(std::span<const std::shared_ptr<const std::string>> objects, std::span<const std::string> names,
                       const Target& target);

// Returns the generated code as readable text: LLVM IR before or after LLVM's passes, or assembly.
enum class CodeForm : std::uint8_t { llvm, optimised_llvm, assembly };
std::string show_kernel(const KernelSource& source, CodeForm form, const Target& target);

}  // namespace weft::compiler
