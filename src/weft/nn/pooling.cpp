#include <weft/nn/pooling.h>

namespace weft::nn {

template <int N>
Tensor MaxPool<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  if constexpr (N == 1) return max_pool1d(x, window, options);
  if constexpr (N == 2) return max_pool2d(x, window, options);
  if constexpr (N == 3) return max_pool3d(x, window, options);
}

template <int N>
Tensor AvgPool<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  if constexpr (N == 1) return avg_pool1d(x, window, options);
  if constexpr (N == 2) return avg_pool2d(x, window, options);
  if constexpr (N == 3) return avg_pool3d(x, window, options);
}

template <int N>
Tensor AdaptiveMaxPool<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  if constexpr (N == 1) return adaptive_max_pool1d(x, size);
  if constexpr (N == 2) return adaptive_max_pool2d(x, size);
  if constexpr (N == 3) return adaptive_max_pool3d(x, size);
}

template <int N>
Tensor AdaptiveAvgPool<N>::operator()(const Operand& x) const {
  const Scope scope = enter();
  if constexpr (N == 1) return adaptive_avg_pool1d(x, size);
  if constexpr (N == 2) return adaptive_avg_pool2d(x, size);
  if constexpr (N == 3) return adaptive_avg_pool3d(x, size);
}

template class MaxPool<1>;
template class MaxPool<2>;
template class MaxPool<3>;
template class AvgPool<1>;
template class AvgPool<2>;
template class AvgPool<3>;
template class AdaptiveMaxPool<1>;
template class AdaptiveMaxPool<2>;
template class AdaptiveMaxPool<3>;
template class AdaptiveAvgPool<1>;
template class AdaptiveAvgPool<2>;
template class AdaptiveAvgPool<3>;

}  // namespace weft::nn
