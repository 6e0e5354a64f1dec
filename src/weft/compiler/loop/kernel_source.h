// What is compiled to machine code, and how that code is called: the contract between code generation and its callers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include <weft/compiler/loop/attention_kernel.h>
#include <weft/compiler/loop/cpu_attention.h>
#include <weft/compiler/loop/fft_kernel.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/loop/random_fill.h>
#include <weft/compiler/loop/row_kernels.h>
#include <weft/compiler/loop/sort_kernel.h>
#include <weft/compiler/loop/while_kernel.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// Computes tasks [begin, end) of a loop. `buffers` are the loop's, inputs first; `scratch` points to scratch_bytes bytes.
using Kernel = void (*)(std::byte* const* buffers, const std::int64_t* parameters, std::int64_t begin, std::int64_t end,
                        std::byte* scratch);

// The block function of a random number generator, applied to the counters of many blocks.
struct RandomBlocks {
  bool threefry = false;  // otherwise Philox
};

// The body of a fold into rows at indexed places, which must be scalar.
struct PlacedBody {
  const ir::Graph* graph = nullptr;
  DType index = DType::i64;
  std::int64_t columns = 0;  // the only number of columns that it serves; 0: any number
};

// The source of one function: a fused loop (a Kernel), the body of a fold, which must be scalar (a BodyKernel, or a PlacedBodyKernel), a
// whole `while` (a WhileFunction), a generator of random bits (a RandomFunction), attention (a Kernel), or a pass of a Fourier transform
// (an FftFunction); for a GPU, a fused loop or one of the last five, which say what their functions do. It must outlive the call that
// compiles it.
using KernelSource = std::variant<const Loop*, const ir::Graph*, PlacedBody, const WhileKernel*, const RandomBlocks*,
                                  const CpuAttention*, const FftPass*, const AttentionKernel*, const RowSort*,
                                  const RowSum*, const RandomFill*, const SortKernel*>;
// Where the code of a source is: the address of its function or, of a GPU, a GpuKernel (codegen/cuda/gpu_kernel.h).
using KernelAddress = void*;

// Applies a body of rank-0 values to outer * inner rows: row (i, j) of a buffer lies i * its outer stride + j * its inner stride bytes
// behind the buffer's address. `buffers` and both strides list the body's inputs, then its outputs. An output may use the buffer of an
// input: rows come in order and are read before they are written, and a stride of 0 makes an accumulator. Neighbouring rows may be read
// together where outputs lie densely, so an output may overlap an input only at the same rows.
using BodyKernel = void (*)(std::int64_t outer, std::int64_t inner, std::byte* const* buffers,
                            const std::int64_t* outer_strides, const std::int64_t* inner_strides);

// Row i of some updates is folded into the row of accumulators that begins indices[i * index_stride] * place_stride elements behind their
// address, unless that index is negative or not below `limit`. Rows of updates lie update_stride elements apart.
struct IndexedRows {
  const std::byte* indices = nullptr;
  std::int64_t count = 0, index_stride = 1, limit = 0, place_stride = 1, update_stride = 1;
};

// Folds rows one after the other, with a body of accumulators and updates. The elements of a row are neighbours.
using PlacedBodyKernel = void (*)(const IndexedRows* rows, std::int64_t columns, std::byte* const* accumulators,
                                  std::byte* const* updates);

// Returns whether the body consists only of elementwise ops and constants.
bool is_scalar_body(const ir::Graph& body);

// Runs a whole loop on its carried values, each stored at its address in `carried`, where its final value is left.
using WhileFunction = void (*)(std::byte* const* carried);

// Writes the words of blocks [first, first + count) of a generator of base/random.h with this state(), one block after the other. `count`
// is a multiple of the target's lanes.
using RandomFunction = void (*)(const std::uint64_t* state, std::uint64_t first, std::uint64_t count,
                                std::uint32_t* words);

}  // namespace weft::compiler
