#include <weft/tensor/fft.h>

#include <cmath>
#include <vector>

#include <weft/ir/legalize/fft.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>

namespace weft::fft {

using detail::Frame;
using ir::legalize::FftType;
using ir::legalize::WrittenValue;

namespace {

// The parts in a dtype that can be transformed; the imaginary part of a real tensor is undefined.
Complex parts_of(Frame& frame, const Operand& x) {
  const ir::Value value = detail::floating(frame, x);
  frame.require(value.rank() > 0, "expected rank 1 or more, got ", value.type());
  return {frame.tensor(detail::as(value, detail::compute_dtype(value.dtype()))), {}};
}
Complex parts_of(Frame& frame, const ComplexOperand& x) {
  return complex(parts_of(frame, x.real()).real, parts_of(frame, x.imag()).real);
}

const Operand& place_of(const Operand& x) { return x; }
const Operand& place_of(const ComplexOperand& x) { return x.real(); }

// Applies a function to the parts that there are.
template <class Function>
Complex of_parts(const Complex& z, const Function& function) {
  return {function(z.real), z.imag.defined() ? function(z.imag) : Tensor()};
}

// Cuts the axis, or pads it with zeros.
Tensor resized(const Tensor& x, std::int64_t axis, std::int64_t size) {
  const std::int64_t present = x.size(axis);
  if (size <= present) return narrow(x, axis, 0, size);
  std::vector<std::pair<std::int64_t, std::int64_t>> widths(x.rank());
  widths[axis].second = size - present;
  return pad(x, widths);
}

// The part of 1 / numbers that stands in a transform, as a factor of the transform without it.
double factor(Norm norm, bool is_inverse, double numbers) {
  if (norm == Norm::ortho) return 1 / std::sqrt(numbers);
  return (norm == Norm::backward) == is_inverse ? 1 / numbers : 1;
}

// Transforms along the axes, of which the last one has `n` numbers in time.
Complex transformed(Frame& frame, Complex z, FftType type, const Axes& axes, std::int64_t n, Norm norm) {
  const int rank = z.real.rank();
  // One axis after the other comes last. The real one is the first in a forward transform and the last in an inverse one.
  std::vector<std::int64_t> order(axes.begin(), axes.end());
  const bool is_inverse = type == FftType::IFFT || type == FftType::IRFFT, starts_real = type == FftType::RFFT;
  if (starts_real) std::swap(order.front(), order.back());
  double numbers = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_last_axis = order[i] == axes[axes.size() - 1];
    const FftType step = type == FftType::RFFT && !is_last_axis    ? FftType::FFT
                         : type == FftType::IRFFT && !is_last_axis ? FftType::IFFT
                                                                   : type;
    const std::int64_t length[] = {is_last_axis ? n : z.real.size(order[i])};
    frame.require(length[0] >= 1, "the number of elements along axis ", order[i], " must be positive, got ", length[0]);
    numbers *= static_cast<double>(length[0]);
    const auto to_end = [&](const Tensor& x) { return transpose(x, order[i], rank - 1); };
    z = of_parts(z, to_end);
    const WrittenValue value{frame.value(z.real), z.imag.defined() ? frame.value(z.imag) : ir::Value()};
    const WrittenValue result = ir::legalize::fft(value, step, length);
    z = {frame.tensor(result.re), result.is_complex() ? frame.tensor(result.im) : Tensor()};
    z = of_parts(z, to_end);
  }
  const double scale = factor(norm, is_inverse, numbers) * (is_inverse ? numbers : 1);
  return scale == 1 ? z : of_parts(z, [&](const Tensor& part) { return part * scale; });
}

template <class X>
Complex along_one(const char* function, const X& x, FftType type, std::optional<std::int64_t> n, std::int64_t axis,
                  Norm norm) {
  Frame frame(function, place_of(x));
  Complex z = parts_of(frame, x);
  const std::int64_t along = frame.axis(axis, z.real.rank());
  const std::int64_t present = z.real.size(along);
  const std::int64_t size = n.value_or(type == FftType::IRFFT ? 2 * (present - 1) : present);
  frame.require(size >= 1, "the number of elements along axis ", along, " must be positive, got ", size);
  const std::int64_t wanted = type == FftType::IRFFT ? size / 2 + 1 : size;
  if (wanted != present) z = of_parts(z, [&](const Tensor& part) { return resized(part, along, wanted); });
  return transformed(frame, z, type, Axes(along), size, norm);
}

template <class X>
Complex along_several(const char* function, const X& x, FftType type, const Axes& axes,
                      std::optional<std::int64_t> last, Norm norm) {
  Frame frame(function, place_of(x));
  Complex z = parts_of(frame, x);
  Axes along;
  if (std::ssize(axes) == 0)
    for (int d = 0; d < z.real.rank(); ++d) along.push_back(d);
  else
    for (const std::int64_t axis : axes) along.push_back(frame.axis(axis, z.real.rank()));
  const std::int64_t end = along[along.size() - 1], present = z.real.size(end);
  const std::int64_t size = last.value_or(type == FftType::IRFFT ? 2 * (present - 1) : present);
  if (type == FftType::IRFFT && size / 2 + 1 != present)
    z = of_parts(z, [&](const Tensor& part) { return resized(part, end, size / 2 + 1); });
  return transformed(frame, z, type, along, size, norm);
}

Tensor frequencies(const char* function, std::int64_t n, double distance, bool half) {
  require(n >= 1, function, ": the number of samples must be positive, got ", n);
  std::vector<float> values(half ? n / 2 + 1 : n);
  for (std::int64_t i = 0; i < std::ssize(values); ++i)
    values[i] = static_cast<float>(static_cast<double>(half || i < (n + 1) / 2 ? i : i - n) /
                                   (static_cast<double>(n) * distance));
  return from_vector(values, {std::ssize(values)});
}

Tensor shifted(const char* function, const Operand& x, const Axes& axes, bool back) {
  Frame frame(function, x);
  Tensor moved = frame.tensor(frame.value(x));
  for (int d = 0; d < moved.rank(); ++d) {
    const bool is_meant = std::ssize(axes) == 0 || std::ranges::any_of(axes, [&](std::int64_t axis) {
                            return frame.axis(axis, moved.rank()) == d;
                          });
    if (is_meant) moved = roll(moved, back ? -(moved.size(d) / 2) : moved.size(d) / 2, d);
  }
  return moved;
}

}  // namespace

Complex fft(const ComplexOperand& x, std::optional<std::int64_t> n, std::int64_t axis, Norm norm) {
  return along_one("fft::fft", x, FftType::FFT, n, axis, norm);
}
Complex ifft(const ComplexOperand& x, std::optional<std::int64_t> n, std::int64_t axis, Norm norm) {
  return along_one("fft::ifft", x, FftType::IFFT, n, axis, norm);
}
Complex rfft(const Operand& x, std::optional<std::int64_t> n, std::int64_t axis, Norm norm) {
  return along_one("fft::rfft", x, FftType::RFFT, n, axis, norm);
}
Tensor irfft(const ComplexOperand& x, std::optional<std::int64_t> n, std::int64_t axis, Norm norm) {
  return along_one("fft::irfft", x, FftType::IRFFT, n, axis, norm).real;
}

Complex fftn(const ComplexOperand& x, const Axes& axes, Norm norm) {
  return along_several("fft::fftn", x, FftType::FFT, axes, {}, norm);
}
Complex ifftn(const ComplexOperand& x, const Axes& axes, Norm norm) {
  return along_several("fft::ifftn", x, FftType::IFFT, axes, {}, norm);
}
Complex rfftn(const Operand& x, const Axes& axes, Norm norm) {
  return along_several("fft::rfftn", x, FftType::RFFT, axes, {}, norm);
}
Tensor irfftn(const ComplexOperand& x, const Axes& axes, std::optional<std::int64_t> last, Norm norm) {
  return along_several("fft::irfftn", x, FftType::IRFFT, axes, last, norm).real;
}

Tensor fftfreq(std::int64_t n, double distance) { return frequencies("fft::fftfreq", n, distance, false); }
Tensor rfftfreq(std::int64_t n, double distance) { return frequencies("fft::rfftfreq", n, distance, true); }

Tensor fftshift(const Operand& x, const Axes& axes) { return shifted("fft::fftshift", x, axes, false); }
Tensor ifftshift(const Operand& x, const Axes& axes) { return shifted("fft::ifftshift", x, axes, true); }

}  // namespace weft::fft
