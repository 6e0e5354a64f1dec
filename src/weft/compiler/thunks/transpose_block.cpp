#include <weft/compiler/thunks/transpose_block.h>

#include <algorithm>
#include <cstring>

namespace weft::compiler {

namespace {

using Four = std::uint32_t __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));

void transpose_in_registers(const std::uint32_t* from, std::uint32_t* to, std::int64_t from_stride,
                            std::int64_t to_stride) {
  Four r[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * from_stride, sizeof(Four));
  const Four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  const Four columns[] = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
                          __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
  for (int j = 0; j < 4; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(Four));
}

void transpose_in_registers(const std::uint64_t* from, std::uint64_t* to, std::int64_t from_stride,
                            std::int64_t to_stride) {
  Two r[2];
  for (int i = 0; i < 2; ++i) std::memcpy(&r[i], from + i * from_stride, sizeof(Two));
  const Two columns[] = {__builtin_shufflevector(r[0], r[1], 0, 2), __builtin_shufflevector(r[0], r[1], 1, 3)};
  for (int j = 0; j < 2; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(Two));
}

// Blocks of both matrices stay in the first cache.
template <class Bits>
void transpose_in_blocks(const Bits* from, Bits* to, std::int64_t rows, std::int64_t columns, std::int64_t from_stride,
                         std::int64_t to_stride) {
  constexpr std::int64_t block = 32, step = 16 / sizeof(Bits);
  for (std::int64_t i0 = 0; i0 < rows; i0 += block) {
    for (std::int64_t j0 = 0; j0 < columns; j0 += block) {
      const std::int64_t i1 = std::min(i0 + block, rows), j1 = std::min(j0 + block, columns);
      const std::int64_t whole_i = i0 + (i1 - i0) / step * step, whole_j = j0 + (j1 - j0) / step * step;
      for (std::int64_t j = j0; j < whole_j; j += step)
        for (std::int64_t i = i0; i < whole_i; i += step)
          transpose_in_registers(from + i * from_stride + j, to + j * to_stride + i, from_stride, to_stride);
      for (std::int64_t j = j0; j < j1; ++j)
        for (std::int64_t i = j < whole_j ? whole_i : i0; i < i1; ++i)
          to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

}  // namespace

void transpose_matrix(const std::byte* from, std::byte* to, std::int64_t rows, std::int64_t columns,
                      std::int64_t from_stride, std::int64_t to_stride, std::int64_t width) {
  const auto transpose = [&]<class Bits>(Bits) {
    transpose_in_blocks(reinterpret_cast<const Bits*>(from), reinterpret_cast<Bits*>(to), rows, columns, from_stride,
                        to_stride);
  };
  if (width == 4)
    transpose(std::uint32_t{});
  else
    transpose(std::uint64_t{});
}

}  // namespace weft::compiler
