// Loops to machine code. The only door to LLVM: no header outside this folder includes LLVM's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <weft/compiler/fusion/loop.h>
#include <weft/compiler/fusion/while_kernel.h>
#include <weft/compiler/target.h>

namespace weft::compiler {

// Computes tasks [begin, end) of a loop. `buffers` are the loop's, inputs first; `scratch` holds scratch_bytes.
using Kernel = void (*)(std::byte* const* buffers, const std::int64_t* parameters, std::int64_t begin, std::int64_t end,
                        std::byte* scratch);

// The block function of a generator, over the counters of many blocks.
struct RandomBlocks {
  bool threefry = false;  // else Philox
};

// What becomes one function: a fused loop (a Kernel), the body of a fold, which must be scalar (a BodyKernel), a whole `while` (a
// WhileFunction), or a generator of random bits (a RandomFunction). It must outlive the call that compiles it.
using KernelSource = std::variant<const Loop*, const ir::Graph*, const WhileKernel*, const RandomBlocks*>;
using KernelAddress = void (*)();

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

// Applies a body of rank-0 values to outer * inner rows: row (i, j) of a buffer lies i * its outer stride + j * its inner stride (in
// bytes) behind the buffer's address. `buffers` and both strides are those of the body's inputs, then of its outputs, which may
// be the inputs': rows come in order and are read before they are written, and a stride of 0 makes an accumulator. Neighbouring
// rows may be read together where outputs lie densely, so an output may overlap no input but at the same rows.
using BodyKernel = void (*)(std::int64_t outer, std::int64_t inner, std::byte* const* buffers,
                            const std::int64_t* outer_strides, const std::int64_t* inner_strides);

// Whether the body is made of elementwise ops and constants alone.
bool is_scalar_body(const ir::Graph& body);

// Runs a whole loop on its carried values, each in the bytes at its address, where its last one is left.
using WhileFunction = void (*)(std::byte* const* carried);

// The words of blocks [first, first + count) of a generator of base/random.h with this state(), one block after the other. `count`
// is a multiple of the target's lanes.
using RandomFunction = void (*)(const std::uint64_t* state, std::uint64_t first, std::uint64_t count,
                                std::uint32_t* words);

// The generated code as text, for people: LLVM IR before and after LLVM's passes, or assembly.
enum class CodeForm : std::uint8_t { llvm, optimised_llvm, assembly };
std::string show_kernel(const KernelSource& source, CodeForm form, const Target& target);

}  // namespace weft::compiler
