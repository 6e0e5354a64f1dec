// LAPACK, loaded when a process first needs it: OpenBLAS or the reference library, so that weft needs neither to be built. Functions have
// LAPACK's names without the letter of the element type; matrices are in column-major order. Thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include <weft/base/error.h>
#include <weft/base/status.h>

namespace weft::lapack {

// FUNCTION(name, parameters), where T is the element type. The lengths of the texts follow the other arguments, as Fortran passes them.
#define WEFT_LAPACK_FUNCTIONS(FUNCTION)                                                                           \
  FUNCTION(getrf, (const int* m, const int* n, T* a, const int* lda, int* pivots, int* info))                     \
  FUNCTION(getrs, (const char* transposed, const int* n, const int* sides, const T* a, const int* lda,            \
                   const int* pivots, T* b, const int* ldb, int* info, std::size_t))                              \
  FUNCTION(geqrf,                                                                                                 \
           (const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* work_size, int* info))  \
  FUNCTION(orgqr, (const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,         \
                   const int* work_size, int* info))                                                              \
  FUNCTION(syevd,                                                                                                 \
           (const char* job, const char* triangle, const int* n, T* a, const int* lda, T* w, T* work,             \
            const int* work_size, int* integers, const int* integers_size, int* info, std::size_t, std::size_t))  \
  FUNCTION(geev, (const char* left_job, const char* right_job, const int* n, T* a, const int* lda, T* real,       \
                  T* imaginary, T* left, const int* left_stride, T* right, const int* right_stride, T* work,      \
                  const int* work_size, int* info, std::size_t, std::size_t))                                     \
  FUNCTION(gesdd, (const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, \
                   T* vt, const int* ldvt, T* work, const int* work_size, int* integers, int* info, std::size_t)) \
  FUNCTION(gemm, (const char* a_transposed, const char* b_transposed, const int* m, const int* n, const int* k,   \
                  const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta, T* c,    \
                  const int* ldc, std::size_t, std::size_t))

template <class T>
struct Functions {
#define WEFT_LAPACK_MEMBER(name, parameters) void(*name) parameters = nullptr;
  WEFT_LAPACK_FUNCTIONS(WEFT_LAPACK_MEMBER)
#undef WEFT_LAPACK_MEMBER
};

struct Library {
  std::string name;
  Functions<float> f32;
  Functions<double> f64;
};

// Loads a library. Fails with the reason if it is not there, or lacks a function.
Result<Library> load(const std::string& name);

// Returns the library that WEFT_LAPACK names, or the first one that is found. The reason for a failure tells the remedy.
const Result<Library>& library();

// Throws Error if there is no library.
template <class T>
const Functions<T>& functions() {
  require(library().ok(), library().reason());
  if constexpr (sizeof(T) == sizeof(float))
    return library()->f32;
  else
    return library()->f64;
}

}  // namespace weft::lapack
