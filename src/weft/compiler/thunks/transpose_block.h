// Transposes matrices in blocks that fit into registers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::compiler {

// to[j, i] = from[i, j]. Strides are the distances of rows in elements of `width` bytes, which is 4 or 8. The matrices do not overlap.
void transpose_matrix(const std::byte* from, std::byte* to, std::int64_t rows, std::int64_t columns,
                      std::int64_t from_stride, std::int64_t to_stride, std::int64_t width);

}  // namespace weft::compiler
