#include <weft/nn/convolution.h>

#include <span>

#include <weft/nn/init.h>
#include <weft/nn/parameters.h>

namespace weft::nn {

namespace {

Shape with_window(std::int64_t first, std::int64_t second, std::span<const std::int64_t> window) {
  Shape shape{first, second};
  for (const std::int64_t size : window) shape.push_back(size);
  return shape;
}

// Calls the convolution of N dimensions.
template <int N>
Tensor convolve(const Operand& x, const Operand& weight, const auto& options) {
  if constexpr (N == 1) return conv1d(x, weight, options);
  if constexpr (N == 2) return conv2d(x, weight, options);
  if constexpr (N == 3) return conv3d(x, weight, options);
}

template <int N>
Tensor convolve(const Operand& x, const Operand& weight, const Operand& bias, const auto& options) {
  if constexpr (N == 1) return conv1d(x, weight, bias, options);
  if constexpr (N == 2) return conv2d(x, weight, bias, options);
  if constexpr (N == 3) return conv3d(x, weight, bias, options);
}

template <int N>
Tensor convolve_transposed(const Operand& x, const Operand& weight, const auto& options) {
  if constexpr (N == 1) return conv_transpose1d(x, weight, options);
  if constexpr (N == 2) return conv_transpose2d(x, weight, options);
  if constexpr (N == 3) return conv_transpose3d(x, weight, options);
}

template <int N>
Tensor convolve_transposed(const Operand& x, const Operand& weight, const Operand& bias, const auto& options) {
  if constexpr (N == 1) return conv_transpose1d(x, weight, bias, options);
  if constexpr (N == 2) return conv_transpose2d(x, weight, bias, options);
  if constexpr (N == 3) return conv_transpose3d(x, weight, bias, options);
}

}  // namespace

template <int N>
Conv<N>::Conv(std::int64_t in, std::int64_t out, Spatial<N> window, ConvOptionsOf<N> with, bool with_bias, DType dtype)
    : options(with) {
  require(with.groups > 0 && in % with.groups == 0, "Conv", N, "d: ", with.groups, " groups do not divide ", in,
          " channels");
  const Shape shape = with_window(out, in / with.groups, window);
  const double inputs = init::fans(shape).in;
  weight = detail::initial(shape, inputs, dtype);
  if (with_bias) bias = detail::initial({out}, inputs, dtype);
}

template <int N>
Tensor Conv<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? convolve<N>(x, detail::like(weight, x), detail::like(*bias, x), options)
              : convolve<N>(x, detail::like(weight, x), options);
}

template <int N>
ConvTranspose<N>::ConvTranspose(std::int64_t in, std::int64_t out, Spatial<N> window, ConvTransposeOptionsOf<N> with,
                                bool with_bias, DType dtype)
    : options(with) {
  require(with.groups > 0 && out % with.groups == 0, "ConvTranspose", N, "d: ", with.groups, " groups do not divide ",
          out, " channels");
  const Shape shape = with_window(in, out / with.groups, window);
  const double inputs = init::fans(shape).in;
  weight = detail::initial(shape, inputs, dtype);
  if (with_bias) bias = detail::initial({out}, inputs, dtype);
}

template <int N>
Tensor ConvTranspose<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  return bias ? convolve_transposed<N>(x, detail::like(weight, x), detail::like(*bias, x), options)
              : convolve_transposed<N>(x, detail::like(weight, x), options);
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;
template class ConvTranspose<1>;
template class ConvTranspose<2>;
template class ConvTranspose<3>;

}  // namespace weft::nn
