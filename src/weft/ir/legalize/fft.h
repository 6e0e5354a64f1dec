// Discrete Fourier transforms as matrix products. A length is split into factors of at most 64 (Cooley-Tukey), so that a
// transform of n numbers takes about n times the sum of the factors. A larger prime factor becomes a convolution (Bluestein).
#pragma once

#include <cstdint>
#include <span>

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

enum class FftType : std::uint8_t { FFT, IFFT, RFFT, IRFFT };

// Transforms the last dimensions, one for each length. Throws Error if the operand does not fit.
WrittenValue fft(WrittenValue x, FftType type, std::span<const std::int64_t> lengths);

}  // namespace weft::ir::legalize
