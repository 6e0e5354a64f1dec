// Triangular systems and Cholesky factors of one matrix, shared by the interpreter and the kernels. Sums are computed in double
// and in order, so both give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft {

// Solves M v = b for vectors b of `size` elements, and overwrites b with v. M(i, j) lies at i * row + j * column; only the
// lower or the upper triangle of M is read.
struct TriangularSystem {
  std::int64_t size = 0, row = 0, column = 0;
  bool lower = true;
  bool unit_diagonal = false;  // the diagonal is taken as ones and not read

  template <class T>
  void solve(const T* m, T* vector, std::int64_t stride) const {
    std::vector<double> v(size);
    for (std::int64_t step = 0; step < size; ++step) {
      const std::int64_t i = lower ? step : size - 1 - step;
      const std::int64_t begin = lower ? 0 : i + 1, end = lower ? i : size;
      double sum = vector[i * stride];
      for (std::int64_t j = begin; j < end; ++j) sum -= m[i * row + j * column] * v[j];
      v[i] = unit_diagonal ? sum : sum / m[i * (row + column)];
    }
    for (std::int64_t i = 0; i < size; ++i) vector[i * stride] = static_cast<T>(v[i]);
  }
};

// Computes the factor of a symmetric matrix, of which only one triangle is read: A = L L^T (lower) or A = U^T U. The other
// triangle of the factor is zero. Where A is not positive definite, all elements that depend on it are NaN.
template <class T>
void cholesky_factor(const T* a, T* factor, std::int64_t size, bool lower) {
  const auto at = [&](std::int64_t i, std::int64_t j) { return lower ? i * size + j : j * size + i; };
  std::vector<double> l(size * size);
  const auto row = [&](std::int64_t i) { return l.data() + i * size; };
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = a[at(i, j)];
      for (std::int64_t k = 0; k < j; ++k) sum -= row(i)[k] * row(j)[k];
      if (j < i)
        row(i)[j] = sum / row(j)[j];
      else
        row(i)[i] = sum > 0 ? std::sqrt(sum) : std::numeric_limits<double>::quiet_NaN();
    }
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) factor[at(i, j)] = static_cast<T>(j <= i ? row(i)[j] : 0);
}

}  // namespace weft
