// Factorizations of one dense row-major matrix by LAPACK (lapack.h), for float and double. Where a matrix has NaN or infinite elements, or
// an iteration does not converge, all results are NaN. Thread-safe. Every function throws Error if there is no LAPACK.
#pragma once

#include <cstdint>

namespace weft {

// Gaussian elimination with partial pivoting: a[permutation] = L U, for a [m, n] and k = min(m, n). `factors` [m, n] holds U on and above
// the diagonal and L below it, whose diagonal of ones is not stored. Step i exchanged the rows i and pivots[i], [k]; `permutation` [m] is
// the order of the rows after all exchanges.
template <class T>
void lu_factor(const T* a, std::int64_t m, std::int64_t n, T* factors, std::int32_t* pivots, std::int32_t* permutation);

// Solves a x = b, or a^T x = b, by LU: a [n, n], b and x [n, sides]. If `a` is singular, x has infinite or NaN elements.
template <class T>
void solve_system(const T* a, const T* b, std::int64_t n, std::int64_t sides, bool transposed, T* x);

// Householder QR: a = Q R for a [m, n], with q [m, columns] and r [columns, n], where `columns` is min(m, n), or m for a square Q.
template <class T>
void qr_factor(const T* a, std::int64_t m, std::int64_t n, std::int64_t columns, T* q, T* r);

// The eigenvalues of a symmetric matrix [n, n], of which only one triangle is read, in ascending order, and the eigenvectors as the columns
// of `vectors` [n, n], which may be null.
template <class T>
void symmetric_eigen(const T* a, std::int64_t n, bool lower, T* values, T* vectors);

// The singular values of a [m, n] in descending order, [min(m, n)], with a = u diag(s) vt. u is [m, columns of u] and vt [rows of vt, n],
// which are min(m, n), or all of m and n if `full`. If u is null, only s is computed.
template <class T>
void singular_values(const T* a, std::int64_t m, std::int64_t n, bool full, T* s, T* u, T* vt);

// The Moore-Penrose inverse [n, m] of a [m, n]. Singular values up to `cutoff` times the largest one count as zero.
template <class T>
void pseudo_inverse(const T* a, std::int64_t m, std::int64_t n, double cutoff, T* result);

}  // namespace weft
