#include <string>

#include <weft/tensor/elementwise.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft {

Tensor bilinear(const Operand& a, const Operand& b, const Operand& weight) {
  detail::Frame frame("bilinear", a);
  const Tensor x = frame.tensor(frame.value(a)), y = frame.tensor(frame.value(b)),
               w = frame.tensor(frame.value(weight));
  const bool fits = w.rank() == 3 && x.rank() >= 1 && y.rank() >= 1 && x.shape()[x.rank() - 1] == w.shape()[1] &&
                    y.shape()[y.rank() - 1] == w.shape()[2];
  frame.require(fits, "the weight ", w.type(), " does not fit ", x.type(), " and ", y.type());
  const Tensor products = matmul(unsqueeze(x, -2), flatten(permute(w, {1, 0, 2}), 1));  // [..., 1, out * n]
  return sum(unflatten(squeeze(products, -2), -1, {w.shape()[0], w.shape()[2]}) * unsqueeze(y, -2), -1);
}

Tensor bilinear(const Operand& a, const Operand& b, const Operand& weight, const Operand& bias) {
  detail::Frame frame("bilinear", a);
  return bilinear(a, b, weight) + bias;
}

Tensor tensordot(const Operand& a, const Operand& b, std::int64_t dims) {
  detail::Frame frame("tensordot", a);
  const Tensor x = frame.tensor(frame.value(a));
  frame.require(dims >= 0 && dims <= x.rank(), "cannot sum over ", dims, " dimensions of ", x.type());
  Axes of_a, of_b;
  for (std::int64_t i = 0; i < dims; ++i) {
    of_a.push_back(x.rank() - dims + i);
    of_b.push_back(i);
  }
  return tensordot(x, b, of_a, of_b);
}

Tensor tensordot(const Operand& a, const Operand& b, const Axes& of_a, const Axes& of_b) {
  detail::Frame frame("tensordot", a);
  const Tensor x = frame.tensor(frame.value(a)), y = frame.tensor(frame.value(b));
  frame.require(of_a.size() == of_b.size(), of_a.size(), " dimensions of ", x.type(), " and ", of_b.size(), " of ",
                y.type());
  frame.axes(of_a, x.rank());  // Throws Error if one occurs twice.
  frame.axes(of_b, y.rank());
  frame.require(x.rank() + y.rank() <= 26, "too many dimensions: ", x.type(), " and ", y.type());
  std::string left, right, result;
  for (int d = 0; d < x.rank(); ++d) left += static_cast<char>('a' + d);
  for (int d = 0; d < y.rank(); ++d) right += static_cast<char>('a' + x.rank() + d);
  std::string rest_of_left = left;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const std::int64_t d = frame.axis(of_a[i], x.rank()), e = frame.axis(of_b[i], y.rank());
    frame.require(x.shape()[d] == y.shape()[e], "dimension ", d, " of ", x.type(), " does not fit dimension ", e,
                  " of ", y.type());
    right[e] = left[d];
    std::erase(rest_of_left, left[d]);
  }
  for (const char letter : right)
    if (letter >= static_cast<char>('a' + x.rank())) result += letter;
  return einsum(left + "," + right + "->" + rest_of_left + result, {x, y});
}

}  // namespace weft
