#include <weft/base/factorization.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include <weft/base/error.h>
#include <weft/base/lapack.h>

namespace weft {

namespace {

// Memory that LAPACK writes before it reads.
template <class T>
std::unique_ptr<T[]> scratch(std::int64_t count) {
  return std::make_unique_for_overwrite<T[]>(std::max<std::int64_t>(count, 1));
}

// Writes the transpose of from [rows, columns]. Row-major matrices become LAPACK's column-major ones, and the reverse.
template <class T>
void transpose_into(const T* from, std::int64_t rows, std::int64_t columns, T* to) {
  constexpr std::int64_t block = 16;
  for (std::int64_t i0 = 0; i0 < rows; i0 += block)
    for (std::int64_t j0 = 0; j0 < columns; j0 += block)
      for (std::int64_t i = i0; i < std::min(i0 + block, rows); ++i)
        for (std::int64_t j = j0; j < std::min(j0 + block, columns); ++j) to[j * rows + i] = from[i * columns + j];
}

template <class T>
bool is_finite(const T* a, std::int64_t count) {
  return std::all_of(a, a + count, [](T x) { return std::isfinite(x); });
}

template <class T>
void fill_nan(T* x, std::int64_t count) {
  if (x) std::fill_n(x, count, std::numeric_limits<T>::quiet_NaN());
}

int size_of(std::int64_t size) {
  require(size <= std::numeric_limits<int>::max(), "LAPACK takes sizes up to 2^31, got ", size);
  return static_cast<int>(size);
}

// Calls a function of LAPACK twice: for the size of its working memory, and with it.
template <class T, class Call>
int with_work(const Call& call) {
  T wanted = 0;
  if (const int info = call(&wanted, -1)) return info;
  // In f32, a size above 2^24 is rounded, perhaps down.
  const auto size = static_cast<std::int64_t>(std::nextafter(wanted, std::numeric_limits<T>::infinity())) + 1;
  const auto work = scratch<T>(size);
  return call(work.get(), size_of(size));
}

}  // namespace

template <class T>
void lu_factor(const T* a, std::int64_t m, std::int64_t n, T* factors, std::int32_t* pivots,
               std::int32_t* permutation) {
  const auto& lapack = lapack::functions<T>();
  const std::int64_t k = std::min(m, n);
  std::iota(permutation, permutation + m, 0);
  if (k == 0) return;
  const auto columns = scratch<T>(m * n);
  transpose_into(a, m, n, columns.get());
  const int rows = size_of(m), width = size_of(n);
  int info = 0;
  lapack.getrf(&rows, &width, columns.get(), &rows, pivots, &info);
  transpose_into(columns.get(), n, m, factors);
  for (std::int64_t i = 0; i < k; ++i) std::swap(permutation[i], permutation[--pivots[i]]);  // LAPACK counts from 1
}

template <class T>
void solve_system(const T* a, const T* b, std::int64_t n, std::int64_t sides, bool transposed, T* x) {
  const auto& lapack = lapack::functions<T>();
  if (n == 0 || sides == 0) return;
  // The row-major matrix is the transpose of the column-major one.
  const auto factors = scratch<T>(n * n), columns = scratch<T>(n * sides);
  std::copy_n(a, n * n, factors.get());
  transpose_into(b, n, sides, columns.get());
  const auto pivots = scratch<int>(n);
  const int size = size_of(n), count = size_of(sides);
  int info = 0;
  lapack.getrf(&size, &size, factors.get(), &size, pivots.get(), &info);
  lapack.getrs(transposed ? "N" : "T", &size, &count, factors.get(), &size, pivots.get(), columns.get(), &size, &info,
               1);
  transpose_into(columns.get(), sides, n, x);
}

template <class T>
void qr_factor(const T* a, std::int64_t m, std::int64_t n, std::int64_t columns, T* q, T* r) {
  const auto& lapack = lapack::functions<T>();
  const std::int64_t k = std::min(m, n);
  if (m == 0) return;
  // Column-major memory for `a`, which holds Q in the end.
  const auto work = scratch<T>(m * std::max(n, columns)), tau = scratch<T>(k);
  transpose_into(a, m, n, work.get());
  const int rows = size_of(m), width = size_of(n), wanted = size_of(columns), reflections = size_of(k);
  int info = is_finite(a, m * n) ? 0 : 1;
  if (info == 0 && n > 0)
    info = with_work<T>([&](T* memory, int size) {
      int result = 0;
      lapack.geqrf(&rows, &width, work.get(), &rows, tau.get(), memory, &size, &result);
      return result;
    });
  for (std::int64_t i = 0; i < columns; ++i)
    for (std::int64_t j = 0; j < n; ++j) r[i * n + j] = i <= j ? work[j * m + i] : T(0);
  if (info == 0)
    info = with_work<T>([&](T* memory, int size) {
      int result = 0;
      lapack.orgqr(&rows, &wanted, &reflections, work.get(), &rows, tau.get(), memory, &size, &result);
      return result;
    });
  transpose_into(work.get(), columns, m, q);
  if (info != 0) {
    fill_nan(q, m * columns);
    fill_nan(r, columns * n);
  }
}

template <class T>
void symmetric_eigen(const T* a, std::int64_t n, bool lower, T* values, T* vectors) {
  const auto& lapack = lapack::functions<T>();
  if (n == 0) return;
  const auto work = scratch<T>(n * n);
  std::copy_n(a, n * n, work.get());
  // Only the triangle that counts is looked at; in column-major order it is the other one.
  int info = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (!(lower ? is_finite(a + i * n, i + 1) : is_finite(a + i * n + i, n - i))) info = 1;
  const int size = size_of(n);
  if (info == 0) {
    int integers_wanted = 0;
    std::unique_ptr<int[]> integers;
    info = with_work<T>([&](T* memory, int count) {
      int result = 0;
      const int integers_count = integers ? integers_wanted : -1;
      lapack.syevd(vectors ? "V" : "N", lower ? "U" : "L", &size, work.get(), &size, values, memory, &count,
                   integers ? integers.get() : &integers_wanted, &integers_count, &result, 1, 1);
      if (!integers) integers = scratch<int>(integers_wanted);
      return result;
    });
  }
  if (info != 0) {
    fill_nan(values, n);
    fill_nan(vectors, n * n);
  } else if (vectors) {
    transpose_into(work.get(), n, n, vectors);
  }
}

template <class T>
void singular_values(const T* a, std::int64_t m, std::int64_t n, bool full, T* s, T* u, T* vt) {
  const auto& lapack = lapack::functions<T>();
  const std::int64_t k = std::min(m, n), u_columns = full ? m : k, vt_rows = full ? n : k;
  if (k == 0) {  // square factors of nothing are identities
    if (u)
      for (std::int64_t i = 0; i < m * u_columns; ++i) u[i] = i / u_columns == i % u_columns ? T(1) : T(0);
    if (vt)
      for (std::int64_t i = 0; i < vt_rows * n; ++i) vt[i] = i / n == i % n ? T(1) : T(0);
    return;
  }
  // In column-major order, the row-major matrix is a^T = v diag(s) u^T, so LAPACK's first factor is vt in row-major order.
  const auto work = scratch<T>(m * n);
  std::copy_n(a, m * n, work.get());
  const int rows = size_of(n), columns = size_of(m), u_stride = size_of(u ? u_columns : 1);
  const auto integers = scratch<int>(8 * k);
  int info = is_finite(a, m * n) ? 0 : 1;
  if (info == 0)
    info = with_work<T>([&](T* memory, int size) {
      int result = 0;
      lapack.gesdd(!u     ? "N"
                   : full ? "A"
                          : "S",
                   &rows, &columns, work.get(), &rows, s, vt, &rows, u, &u_stride, memory, &size, integers.get(),
                   &result, 1);
      return result;
    });
  if (info != 0) {
    fill_nan(s, k);
    fill_nan(u, m * u_columns);
    fill_nan(vt, vt_rows * n);
  }
}

template <class T>
void pseudo_inverse(const T* a, std::int64_t m, std::int64_t n, double cutoff, T* result) {
  const auto& lapack = lapack::functions<T>();
  const std::int64_t k = std::min(m, n);
  if (k == 0) return;
  const auto s = scratch<T>(k), u = scratch<T>(m * k), vt = scratch<T>(k * n);
  singular_values(a, m, n, false, s.get(), u.get(), vt.get());
  for (std::int64_t i = 0; i < k; ++i) {
    const T scale = s[i] > T(cutoff) * s[0] || std::isnan(s[i]) ? T(1) / s[i] : T(0);
    for (std::int64_t j = 0; j < n; ++j) vt[i * n + j] *= scale;
  }
  // result = v u^T row-major, which is u v^T column-major; u and vt are transposed in that order.
  const int rows = size_of(m), columns = size_of(n), inner = size_of(k);
  const T one = 1, zero = 0;
  lapack.gemm("T", "T", &rows, &columns, &inner, &one, u.get(), &inner, vt.get(), &columns, &zero, result, &rows, 1, 1);
}

#define WEFT_FACTORIZATIONS(T)                                                                     \
  template void lu_factor(const T*, std::int64_t, std::int64_t, T*, std::int32_t*, std::int32_t*); \
  template void solve_system(const T*, const T*, std::int64_t, std::int64_t, bool, T*);            \
  template void qr_factor(const T*, std::int64_t, std::int64_t, std::int64_t, T*, T*);             \
  template void symmetric_eigen(const T*, std::int64_t, bool, T*, T*);                             \
  template void singular_values(const T*, std::int64_t, std::int64_t, bool, T*, T*, T*);           \
  template void pseudo_inverse(const T*, std::int64_t, std::int64_t, double, T*);
WEFT_FACTORIZATIONS(float)
WEFT_FACTORIZATIONS(double)
#undef WEFT_FACTORIZATIONS

}  // namespace weft
