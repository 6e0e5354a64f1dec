#include <weft/tensor/distance.h>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>

namespace weft {

Tensor pairwise_distance(const Operand& a, const Operand& b, double p, double epsilon, bool keepdim) {
  detail::Frame frame("pairwise_distance", a);
  frame.require(p >= 0, "p cannot be negative, got ", p);
  const auto [x, y] = detail::matched(frame, a, b, DType::f32);
  frame.require(x.rank() >= 1, "expected vectors, got ", x.type());
  return linalg::vector_norm(frame.tensor(x - y + epsilon), p, -1, keepdim);
}

Tensor cdist(const Operand& a, const Operand& b, double p) {
  detail::Frame frame("cdist", a);
  frame.require(p >= 0, "p cannot be negative, got ", p);
  const auto [x, y] = detail::promoted(frame, a, b, DType::f32);
  const bool fit = x.rank() >= 2 && y.rank() >= 2 && x.size(x.rank() - 1) == y.size(y.rank() - 1);
  frame.require(fit, "expected vectors [..., count, width] of one width, got ", x.type(), " and ", y.type());
  return linalg::vector_norm(unsqueeze(frame.tensor(x), -2) - unsqueeze(frame.tensor(y), -3), p, -1);
}

}  // namespace weft
