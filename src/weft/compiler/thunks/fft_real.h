// Fourier transforms of rows of real numbers, as transforms of half as many complex numbers.
#pragma once

#include <cstdint>
#include <memory>

#include <weft/compiler/thunks/fft_rows.h>

namespace weft::compiler {

// Transforms rows of n real numbers, for even n >= 4, to rows of the first n / 2 + 1 results, or back. Real rows have no imaginary part.
std::unique_ptr<RowTransform> real_row_transform(std::int64_t n, bool is_inverse, FftBodies& bodies);

}  // namespace weft::compiler
