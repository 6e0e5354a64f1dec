// Copies between arrays of the host, whose elements may lie in any order, and rows of elements without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::pjrt {

// The distances between elements in each dimension, in bytes, where the last dimension is dense.
std::vector<std::int64_t> row_major(std::span<const std::int64_t> dims, std::size_t element_bytes);

// Copies `bytes` of each element of a strided array, from the first byte at `from`, to every `to_step` bytes at `to`.
void gather(const std::byte* from, std::span<const std::int64_t> dims, std::span<const std::int64_t> strides,
            std::size_t bytes, std::byte* to, std::size_t to_step);

}  // namespace weft::pjrt
