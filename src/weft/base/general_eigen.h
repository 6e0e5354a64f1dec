// Eigenvalues and eigenvectors of one dense row-major matrix that need not be symmetric, by LAPACK's geev, for float and double.
// Thread-safe. Throws Error if there is no LAPACK.
#pragma once

#include <complex>
#include <cstdint>

namespace weft {

// The eigenvalues [n] of a [n, n], in LAPACK's order, and the eigenvectors as the columns of `vectors` [n, n], which may be null. A vector
// has the Euclidean norm 1, and its largest component is real. All results are NaN if `a` has NaN or infinite elements, or if the iteration
// does not converge.
template <class T>
void general_eigen(const T* a, std::int64_t n, std::complex<T>* values, std::complex<T>* vectors);

// The gradient [n, n] with respect to `a` of a loss, from its gradients with respect to the values and the vectors, as torch.linalg.eig
// defines it: the loss must not depend on the phases of the vectors. Infinite or NaN where eigenvalues are equal.
template <class T>
void general_eigen_gradient(const std::complex<T>* values, const std::complex<T>* vectors, std::int64_t n,
                            const std::complex<T>* of_values, const std::complex<T>* of_vectors, T* gradient);

}  // namespace weft
