#include <weft/compiler/thunks/transpose_block.h>

#include <algorithm>
#include <cstring>

namespace weft::compiler {

namespace {

using Four = std::uint32_t __attribute__((vector_size(16)));
using Two = std::uint64_t __attribute__((vector_size(16)));
using Eight = std::uint32_t __attribute__((vector_size(32)));
using FourLong = std::uint64_t __attribute__((vector_size(32)));

template <class Vector>
[[gnu::always_inline]] inline void load(const void* from, Vector& into) {
  std::memcpy(&into, from, sizeof(into));
}

// A block that is transposed in registers has 16 bytes of each of `rows` rows.
template <class Bits, bool has_wide_vectors>
struct Block {
  static constexpr std::int64_t columns = 16 / sizeof(Bits), rows = has_wide_vectors ? 2 * columns : columns;
};

[[gnu::always_inline]] inline void transpose_in_registers(Block<std::uint32_t, false>, const std::uint32_t* from,
                                                          std::uint32_t* to, std::int64_t from_stride,
                                                          std::int64_t to_stride) {
  Four r[4];
  for (int i = 0; i < 4; ++i) load(from + i * from_stride, r[i]);
  const Four a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  const Four columns[] = {__builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
                          __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
  for (int j = 0; j < 4; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(Four));
}

[[gnu::always_inline]] inline void transpose_in_registers(Block<std::uint64_t, false>, const std::uint64_t* from,
                                                          std::uint64_t* to, std::int64_t from_stride,
                                                          std::int64_t to_stride) {
  Two r[2];
  for (int i = 0; i < 2; ++i) load(from + i * from_stride, r[i]);
  const Two columns[] = {__builtin_shufflevector(r[0], r[1], 0, 2), __builtin_shufflevector(r[0], r[1], 1, 3)};
  for (int j = 0; j < 2; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(Two));
}

// Each half of a vector has a row of its own, so no element moves from one half to the other.
[[gnu::always_inline]] inline void transpose_in_registers(Block<std::uint32_t, true>, const std::uint32_t* from,
                                                          std::uint32_t* to, std::int64_t from_stride,
                                                          std::int64_t to_stride) {
  Eight r[4];
  for (int i = 0; i < 4; ++i) {
    Four low, high;
    load(from + i * from_stride, low);
    load(from + (i + 4) * from_stride, high);
    r[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  const Eight a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const Eight c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
  const Eight columns[] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                           __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                           __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
  for (int j = 0; j < 4; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(Eight));
}

[[gnu::always_inline]] inline void transpose_in_registers(Block<std::uint64_t, true>, const std::uint64_t* from,
                                                          std::uint64_t* to, std::int64_t from_stride,
                                                          std::int64_t to_stride) {
  FourLong r[2];
  for (int i = 0; i < 2; ++i) {
    Two low, high;
    load(from + i * from_stride, low);
    load(from + (i + 2) * from_stride, high);
    r[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3);
  }
  const FourLong columns[] = {__builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
                              __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7)};
  for (int j = 0; j < 2; ++j) std::memcpy(to + j * to_stride, &columns[j], sizeof(FourLong));
}

// Blocks of both matrices stay in the first cache.
template <bool has_wide_vectors, class Bits>
[[gnu::always_inline]] inline void transpose_in_blocks(const Bits* from, Bits* to, std::int64_t rows,
                                                       std::int64_t columns, std::int64_t from_stride,
                                                       std::int64_t to_stride) {
  using Small = Block<Bits, has_wide_vectors>;
  constexpr std::int64_t block = 32;
  for (std::int64_t i0 = 0; i0 < rows; i0 += block) {
    for (std::int64_t j0 = 0; j0 < columns; j0 += block) {
      const std::int64_t i1 = std::min(i0 + block, rows), j1 = std::min(j0 + block, columns);
      const std::int64_t whole_i = i0 + (i1 - i0) / Small::rows * Small::rows;
      const std::int64_t whole_j = j0 + (j1 - j0) / Small::columns * Small::columns;
      for (std::int64_t j = j0; j < whole_j; j += Small::columns)
        for (std::int64_t i = i0; i < whole_i; i += Small::rows)
          transpose_in_registers(Small(), from + i * from_stride + j, to + j * to_stride + i, from_stride, to_stride);
      for (std::int64_t j = j0; j < j1; ++j)
        for (std::int64_t i = j < whole_j ? whole_i : i0; i < i1; ++i)
          to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

#ifdef __x86_64__
template <class Bits>
[[gnu::target("avx2")]] void transpose_with_wide_vectors(const Bits* from, Bits* to, std::int64_t rows,
                                                         std::int64_t columns, std::int64_t from_stride,
                                                         std::int64_t to_stride) {
  transpose_in_blocks<true>(from, to, rows, columns, from_stride, to_stride);
}
#endif

template <class Bits>
void transpose_any(const Bits* from, Bits* to, std::int64_t rows, std::int64_t columns, std::int64_t from_stride,
                   std::int64_t to_stride) {
#ifdef __x86_64__
  static const bool has_wide_vectors = __builtin_cpu_supports("avx2");
  if (has_wide_vectors) return transpose_with_wide_vectors(from, to, rows, columns, from_stride, to_stride);
#endif
  transpose_in_blocks<false>(from, to, rows, columns, from_stride, to_stride);
}

// The rows of a matrix [n, 2] as two rows.
void split_pairs(const std::uint32_t* from, std::uint32_t* first, std::uint32_t* second) {
  Four r[2];
  std::memcpy(r, from, sizeof(r));
  const Four even = __builtin_shufflevector(r[0], r[1], 0, 2, 4, 6),
             odd = __builtin_shufflevector(r[0], r[1], 1, 3, 5, 7);
  std::memcpy(first, &even, sizeof(Four));
  std::memcpy(second, &odd, sizeof(Four));
}
void split_pairs(const std::uint64_t* from, std::uint64_t* first, std::uint64_t* second) {
  transpose_in_registers(Block<std::uint64_t, false>(), from, first, 2, second - first);
}

void join_pairs(const std::uint32_t* first, const std::uint32_t* second, std::uint32_t* to) {
  Four a, b;
  std::memcpy(&a, first, sizeof(Four));
  std::memcpy(&b, second, sizeof(Four));
  const Four r[] = {__builtin_shufflevector(a, b, 0, 4, 1, 5), __builtin_shufflevector(a, b, 2, 6, 3, 7)};
  std::memcpy(to, r, sizeof(r));
}
void join_pairs(const std::uint64_t* first, const std::uint64_t* second, std::uint64_t* to) {
  transpose_in_registers(Block<std::uint64_t, false>(), first, to, second - first, 2);
}

}  // namespace

void transpose_matrix(const std::byte* from, std::byte* to, std::int64_t rows, std::int64_t columns,
                      std::int64_t from_stride, std::int64_t to_stride, std::int64_t width) {
  const auto transpose = [&]<class Bits>(Bits) {
    const auto* x = reinterpret_cast<const Bits*>(from);
    auto* y = reinterpret_cast<Bits*>(to);
    constexpr std::int64_t step = 16 / sizeof(Bits);
    if (columns == 2 && from_stride == 2) {
      for (; rows >= step; rows -= step, x += 2 * step, y += step) split_pairs(x, y, y + to_stride);
    } else if (rows == 2 && to_stride == 2) {
      for (; columns >= step; columns -= step, x += step, y += 2 * step) join_pairs(x, x + from_stride, y);
    }
    transpose_any(x, y, rows, columns, from_stride, to_stride);
  };
  if (width == 4)
    transpose(std::uint32_t{});
  else
    transpose(std::uint64_t{});
}

}  // namespace weft::compiler
