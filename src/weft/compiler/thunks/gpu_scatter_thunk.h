// A scatter of rows on a GPU (loop/row_kernels.h).
#pragma once

#include <cstdint>

#include <weft/compiler/thunks/native_context.h>
#include <weft/ir/op.h>

namespace weft::compiler {

// A scatter whose update i is row indices[i * index_stride] of an operand with rows of `width` elements.
struct GpuRows {
  const ir::Op* op = nullptr;  // combines the rows; has an identity
  DType dtype = DType::f32, index = DType::i32;
  std::int64_t updates = 0, rows = 0, width = 0, index_stride = 1;
};

// Returns whether the kernels serve these numbers and types.
bool is_for_gpu(const GpuRows& rows);
// Sets how the unit, which reads the operand, the indices and the updates, does its work.
void set_gpu_scatter(Unit& unit, const GpuRows& rows, const NativeContext& context);

}  // namespace weft::compiler
