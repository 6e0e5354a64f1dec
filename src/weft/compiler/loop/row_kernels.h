// The kernels with which a GPU combines rows of updates with rows of a tensor that indices choose, as a scatter does: the gradient of an
// embedding lookup. The updates are sorted by their row, each keeping its place among those of the same row, and blocks reduce a fixed
// number of neighbours in the sorted order. So the order of a sum depends on the indices alone, and no thread waits for another's result.
#pragma once

#include <algorithm>
#include <cstdint>

#include <weft/base/dtype.h>
#include <weft/compiler/loop/gpu_grid.h>
#include <weft/ir/op.h>

namespace weft::compiler {

// Sorts by counting, for each update, the updates in front of it: void f(ptr indices, ptr sorted, i64 count, i64 rows, i64 stride). Index i
// is indices[i * stride]. `sorted` is for 2 * count numbers of 32 bits: the updates in order, then their rows, where rows outside of
// [0, rows) are -1 and come first.
struct RowSort {
  DType index = DType::i32;
};

// Reduces updates of the same row with an op that has an identity: void f(ptr output, ptr updates, ptr sorted, ptr parts, i64 count, i64
// width). Where all updates of a row lie in one block, it combines their sum with the output. Otherwise it leaves each block's sum in
// `parts`, which is for 2 * row_blocks(count) * width numbers of the accumulator's type, and the kernel with `joins` combines those.
struct RowSum {
  const ir::Op* op = nullptr;
  DType dtype = DType::f32;
  bool joins = false;
};

inline constexpr int row_sort_threads = 256, row_sort_tile = 1024;
inline constexpr int row_sum_threads = 256, row_sum_updates = 32;  // of a block

constexpr std::int64_t row_blocks(std::int64_t updates) { return (updates + row_sum_updates - 1) / row_sum_updates; }

// Returns how many neighbouring elements a thread combines in the form `vectors`.
constexpr int row_vector_width(DType dtype) { return std::min(16 / byte_size(dtype), 8); }

inline GpuGrid row_sort_grid(std::int64_t updates) {
  return {.form = GpuForm::elements,
          .blocks_x = static_cast<std::uint32_t>((updates + row_sort_threads - 1) / row_sort_threads),
          .threads_x = row_sort_threads,
          .shared_bytes = row_sort_tile * 4};
}

// `aligned` says that rows lie at multiples of a vector.
inline GpuGrid row_sum_grid(const RowSum& sum, std::int64_t updates, std::int64_t width, bool aligned) {
  const std::int64_t vectors = aligned ? width / row_vector_width(sum.dtype) : width;
  std::uint32_t threads = 64;  // at least as many as a block reads rows
  while (threads < vectors && threads < row_sum_threads) threads *= 2;
  return {.form = aligned ? GpuForm::vectors : GpuForm::elements,
          .blocks_x = static_cast<std::uint32_t>(row_blocks(updates)),
          .threads_x = threads,
          .shared_bytes = sum.joins ? 0U : (2U * row_sum_updates + 2) * 4};
}

}  // namespace weft::compiler
