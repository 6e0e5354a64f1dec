// Applies one function to each element of lists of tensors, as optimizers need it; the compiler fuses the results into
// few kernels. (torch._higher_order_ops.foreach_map)
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <weft/base/error.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Returns f(a[0], b[0], ...), f(a[1], b[1], ...), ... for lists of tensors or Parameters, which must have the same
// length.
//   weights = foreach_map([&](const Tensor& w, const Tensor& g) { return w - lr * g; }, weights, gradients);
template <class F, class First, class... Rest>
std::vector<Tensor> foreach_map(F&& f, const First& first, const Rest&... rest) {
  const auto count = std::size(first);
  if (((std::size(rest) != count) || ...))
    fail("foreach_map: the lists differ in length: ",
         (std::to_string(count) + ... + (", " + std::to_string(std::size(rest)))));
  std::vector<Tensor> results;
  results.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    results.push_back(f(std::begin(first)[at], std::begin(rest)[at]...));
  }
  return results;
}

}  // namespace weft
