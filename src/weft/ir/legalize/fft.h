// Discrete Fourier transforms as products with matrices: a length is cut into factors of at most 64, as Cooley and Tukey do, so
// that a transform of n numbers takes about n times the sum of the factors. A larger prime factor is done as a convolution, as
// Bluestein does.
#pragma once

#include <cstdint>
#include <span>

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

enum class FftType : std::uint8_t { FFT, IFFT, RFFT, IRFFT };

// Over the last dimensions, as many as there are lengths. Throws Error where the operand does not fit.
WrittenValue fft(WrittenValue x, FftType type, std::span<const std::int64_t> lengths);

}  // namespace weft::ir::legalize
