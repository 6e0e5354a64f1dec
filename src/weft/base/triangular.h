// Triangular systems and Cholesky factors of one matrix, shared by the interpreter and the kernels. Sums are computed in double, so both give
// the same bits: the terms of a sum are subtracted one after the other, in the order in which the unknowns, or the columns of the factor, are
// found. Several sums are computed at once, because each of them waits for its own terms; the loops over them are unrolled, which keeps the
// sums in registers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft {

// Solves M v = b for vectors b of `size` elements, and overwrites b with v. M(i, j) lies at i * row + j * column; only the
// lower or the upper triangle of M is read. The unknowns are found from the first to the last (lower), or from the last to the first.
struct TriangularSystem {
  std::int64_t size = 0, row = 0, column = 0;
  bool lower = true;
  bool unit_diagonal = false;  // the diagonal is taken as ones and not read

  template <class T>
  void solve(const T* m, T* vector, std::int64_t stride) const {
    constexpr std::int64_t block = 8;
    // From here on, rows, columns and unknowns are counted in the order in which the unknowns are found.
    const std::int64_t sign = lower ? 1 : -1, last = lower ? 0 : size - 1;
    const T* const first_row = m + last * (row + column);
    T* const x = vector + last * stride;
    const auto at = [&](std::int64_t i, std::int64_t j) -> double { return first_row[sign * (i * row + j * column)]; };
    std::vector<double> v(size);
    for (std::int64_t begin = 0; begin < size; begin += block) {
      const std::int64_t rows = std::min(block, size - begin);
      std::array<double, block> sums;
      for (std::int64_t r = 0; r < rows; ++r) sums[r] = x[sign * (begin + r) * stride];
      if (rows == block)
        for (std::int64_t j = 0; j < begin; ++j)
#pragma GCC unroll 8
          for (std::int64_t r = 0; r < block; ++r) sums[r] -= at(begin + r, j) * v[j];
      else
        for (std::int64_t j = 0; j < begin; ++j)
          for (std::int64_t r = 0; r < rows; ++r) sums[r] -= at(begin + r, j) * v[j];
      for (std::int64_t i = 0; i < rows; ++i) {
        const double found = unit_diagonal ? sums[i] : sums[i] / at(begin + i, begin + i);
        for (std::int64_t r = i + 1; r < rows; ++r) sums[r] -= at(begin + r, begin + i) * found;
        v[begin + i] = found;
      }
    }
    for (std::int64_t i = 0; i < size; ++i) x[sign * i * stride] = static_cast<T>(v[i]);
  }
};

// Computes the factor of a symmetric matrix, of which only one triangle is read: A = L L^T (lower) or A = U^T U. The other
// triangle of the factor is zero. Where A is not positive definite, all elements that depend on it are NaN.
template <class T>
void cholesky_factor(const T* a, T* factor, std::int64_t size, bool lower) {
  constexpr std::int64_t block = 16;
  const auto at = [&](std::int64_t i, std::int64_t j) { return lower ? i * size + j : j * size + i; };
  // A block may reach behind the last row; the rest keeps columns of 2^n rows from sharing the same part of a cache.
  const std::int64_t height = (size + block - 1) / block * block + 8;
  std::vector<double> columns(size * height);
  const auto column = [&](std::int64_t j) { return columns.data() + j * height; };
  for (std::int64_t j = 0; j < size; ++j) {
    for (std::int64_t i = j; i < size; ++i) column(j)[i] = a[at(i, j)];
    for (std::int64_t begin = j / block * block; begin < size; begin += block) {
      std::array<double, block> sums;
      std::copy_n(column(j) + begin, block, sums.begin());
      for (std::int64_t k = 0; k < j; ++k)
#pragma GCC unroll 16
        for (std::int64_t r = 0; r < block; ++r) sums[r] -= column(k)[begin + r] * column(k)[j];
      std::ranges::copy(sums, column(j) + begin);
    }
    const double square = column(j)[j],
                 root = square > 0 ? std::sqrt(square) : std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = j + 1; i < size; ++i) column(j)[i] /= root;
    column(j)[j] = root;
  }
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) factor[at(i, j)] = static_cast<T>(j <= i ? column(j)[i] : 0);
}

}  // namespace weft
