#include <weft/base/general_eigen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/factorization.h>
#include <weft/base/lapack.h>

namespace weft {

namespace {

template <class T>
using ComplexMatrix = std::vector<std::complex<T>>;

// Returns the product of a [n, n], conjugated and transposed if `adjoint`, with b [n, n].
template <class T>
ComplexMatrix<T> product(const std::complex<T>* a, bool adjoint, const std::complex<T>* b, std::int64_t n) {
  ComplexMatrix<T> result(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      const std::complex<T> factor = adjoint ? std::conj(a[k * n + i]) : a[i * n + k];
      for (std::int64_t j = 0; j < n; ++j) result[i * n + j] += factor * b[k * n + j];
    }
  return result;
}

}  // namespace

template <class T>
void general_eigen(const T* a, std::int64_t n, std::complex<T>* values, std::complex<T>* vectors) {
  const auto& lapack = lapack::functions<T>();
  if (n == 0) return;
  require(n <= std::numeric_limits<int>::max(), "LAPACK takes sizes up to 2^31, got ", n);
  std::vector<T> columns(n * n), real(n), imaginary(n), right(vectors ? n * n : 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) columns[j * n + i] = a[i * n + j];
  const int size = static_cast<int>(n), right_stride = vectors ? size : 1, one = 1;
  int info = std::all_of(a, a + n * n, [](T x) { return std::isfinite(x); }) ? 0 : 1;
  std::vector<T> work(1);
  for (int work_size = -1; info == 0;) {  // once for the size of the working memory, and once with it
    T unused = 0;
    lapack.geev("N", vectors ? "V" : "N", &size, columns.data(), &size, real.data(), imaginary.data(), &unused, &one,
                right.data(), &right_stride, work.data(), &work_size, &info, 1, 1);
    if (work_size > 0) break;
    work_size = static_cast<int>(std::nextafter(work[0], std::numeric_limits<T>::infinity())) + 1;
    work.resize(work_size);
  }
  if (info != 0) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    std::fill_n(values, n, std::complex<T>(nan, nan));
    if (vectors) std::fill_n(vectors, n * n, std::complex<T>(nan, nan));
    return;
  }
  for (std::int64_t j = 0; j < n; ++j) values[j] = {real[j], imaginary[j]};
  if (!vectors) return;
  // LAPACK returns the real and the imaginary part of the first vector of a pair of conjugate eigenvalues.
  for (std::int64_t j = 0; j < n; ++j) {
    const bool is_pair = imaginary[j] != 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::complex<T> x{right[j * n + i], is_pair ? right[(j + 1) * n + i] : T(0)};
      vectors[i * n + j] = x;
      if (is_pair) vectors[i * n + j + 1] = std::conj(x);
    }
    if (is_pair) ++j;
  }
}

template <class T>
void general_eigen_gradient(const std::complex<T>* values, const std::complex<T>* vectors, std::int64_t n,
                            const std::complex<T>* of_values, const std::complex<T>* of_vectors, T* gradient) {
  if (n == 0) return;
  ComplexMatrix<T> scaled(n * n);
  const ComplexMatrix<T> turned = product(vectors, true, of_vectors, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) scaled[i * n + j] = vectors[i * n + j] * turned[j * n + j].real();
  ComplexMatrix<T> inner = product(vectors, true, scaled.data(), n), adjoint(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      std::complex<T>& x = inner[i * n + j];
      x = i == j ? of_values[i] : (turned[i * n + j] - x) / std::conj(values[j] - values[i]);
      adjoint[i * n + j] = std::conj(vectors[j * n + i]);
    }
  // Solves V^H X = inner V^H as a real system of twice the size; the gradient is the real part of X.
  const ComplexMatrix<T> right = product(inner.data(), false, adjoint.data(), n);
  std::vector<T> a(4 * n * n), b(2 * n * n), x(2 * n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const std::complex<T> v = adjoint[i * n + j];
      a[2 * n * i + j] = a[2 * n * (n + i) + n + j] = v.real();
      a[2 * n * (n + i) + j] = v.imag();
      a[2 * n * i + n + j] = -v.imag();
      b[i * n + j] = right[i * n + j].real();
      b[(n + i) * n + j] = right[i * n + j].imag();
    }
  solve_system(a.data(), b.data(), 2 * n, n, false, x.data());
  std::copy_n(x.begin(), n * n, gradient);
}

#define WEFT_GENERAL_EIGEN(T)                                                                        \
  template void general_eigen(const T*, std::int64_t, std::complex<T>*, std::complex<T>*);           \
  template void general_eigen_gradient(const std::complex<T>*, const std::complex<T>*, std::int64_t, \
                                       const std::complex<T>*, const std::complex<T>*, T*);
WEFT_GENERAL_EIGEN(float)
WEFT_GENERAL_EIGEN(double)
#undef WEFT_GENERAL_EIGEN

}  // namespace weft
