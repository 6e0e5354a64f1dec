// Discrete Fourier transforms, with the names and conventions of torch.fft and jax.numpy.fft. Parts of complex numbers are f32 or f64;
// integers and 16-bit floats are transformed in f32. All of them have gradients. They are computed as matrix products, so a size is best a
// product of small primes.
#pragma once

#include <cstdint>
#include <optional>

#include <weft/tensor/complex.h>
#include <weft/tensor/shape.h>

namespace weft::fft {

// Where the factor 1 / n stands: in the inverse transform, in the forward one, or its root in both.
enum class Norm : std::uint8_t { backward, forward, ortho };

// Along one axis. With n, the axis is first cut, or padded with zeros, to n elements.
Complex fft(const ComplexOperand& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
            Norm norm = Norm::backward);
Complex ifft(const ComplexOperand& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
             Norm norm = Norm::backward);
// Transforms real numbers. Returns the n / 2 + 1 frequencies that are not negative; the others are their conjugates.
Complex rfft(const Operand& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1, Norm norm = Norm::backward);
// The inverse of rfft. n is the size of the result, 2 * (size - 1) if it is not given; it must be given for odd sizes.
Tensor irfft(const ComplexOperand& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
             Norm norm = Norm::backward);

// Along several axes; the last two for the functions of 2 dimensions, otherwise all axes if none are given. The real transforms are along
// the last one of them.
Complex fftn(const ComplexOperand& x, const Axes& axes = {}, Norm norm = Norm::backward);
Complex ifftn(const ComplexOperand& x, const Axes& axes = {}, Norm norm = Norm::backward);
Complex rfftn(const Operand& x, const Axes& axes = {}, Norm norm = Norm::backward);
// `last` is the size of the last of the axes in the result, as n of irfft.
Tensor irfftn(const ComplexOperand& x, const Axes& axes = {}, std::optional<std::int64_t> last = {},
              Norm norm = Norm::backward);
inline Complex fft2(const ComplexOperand& x, Norm norm = Norm::backward) { return fftn(x, {-2, -1}, norm); }
inline Complex ifft2(const ComplexOperand& x, Norm norm = Norm::backward) { return ifftn(x, {-2, -1}, norm); }
inline Complex rfft2(const Operand& x, Norm norm = Norm::backward) { return rfftn(x, {-2, -1}, norm); }
inline Tensor irfft2(const ComplexOperand& x, std::optional<std::int64_t> last = {}, Norm norm = Norm::backward) {
  return irfftn(x, {-2, -1}, last, norm);
}

// The frequencies of the elements of fft and rfft of n samples at this distance, in cycles for a unit of the distance; f32.
Tensor fftfreq(std::int64_t n, double distance = 1);
Tensor rfftfreq(std::int64_t n, double distance = 1);
// Moves frequency zero to the middle of the axes (of all axes if none are given), and back.
Tensor fftshift(const Operand& x, const Axes& axes = {});
Tensor ifftshift(const Operand& x, const Axes& axes = {});

}  // namespace weft::fft
