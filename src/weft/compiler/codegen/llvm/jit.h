// Loops to machine code. The only door to LLVM: no header outside this folder includes LLVM's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

// Machine code of some kernels; keeps it mapped.
struct KernelCode {
  std::vector<KernelAddress> kernels;  // in the order of the sources
  std::shared_ptr<const void> owner;
};

// Compiles each source for the target, on several threads, to an object file with one function, called as `names` say.
// Deterministic. Throws InternalError if LLVM refuses.
std::vector<std::string> make_objects(std::span<const KernelSource> sources, std::span<const std::string> names,
                                      const Target& target);
// Maps object files; the kernels come in their order. Objects are trusted: they are what make_objects made.
KernelCode load_objects(std::span<const std::string* const> objects, std::span<const std::string> names);

// The generated code as text, for people: LLVM IR before and after LLVM's passes, or assembly.
enum class CodeForm : std::uint8_t { llvm, optimised_llvm, assembly };
std::string show_kernel(const KernelSource& source, CodeForm form, const Target& target);

}  // namespace weft::compiler
