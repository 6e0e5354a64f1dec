// The kernel with which a GPU sorts the rows of tensors by a comparator. A block sorts the positions of one row, then each thread moves
// elements. Equal elements keep their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include <weft/base/dtype.h>
#include <weft/compiler/loop/gpu_grid.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// void f(ptr operand of each dtype, ptr result of each dtype, ptr positions, i64 length, i64 inner): element j of row (o, i) lies at
// (o * length + j) * inner + i, for i < inner. `positions` has room for 32 bits for each element of a tensor if rows are long.
struct SortKernel {
  std::vector<DType> dtypes;
  // A scalar body with two inputs for each dtype, which tells whether the first element comes before the second one.
  std::shared_ptr<const ir::Graph> comparator;
};

inline constexpr int sort_threads = 512;
inline constexpr std::int64_t short_sort =
    4096;  // rows of at most so many elements have their positions in shared memory

inline GpuGrid sort_grid(std::int64_t rows, std::int64_t length) {
  const auto pairs = std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(length, 2))) / 2;
  return {.form = GpuForm::elements,
          .blocks_x = length == 0 ? 0 : static_cast<std::uint32_t>(rows),
          .threads_x = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(pairs, gpu_warp, sort_threads)),
          .shared_bytes = length <= short_sort ? static_cast<std::uint32_t>(4 * length) : 0};
}

}  // namespace weft::compiler
