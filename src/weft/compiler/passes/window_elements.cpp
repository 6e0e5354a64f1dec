#include <weft/compiler/passes/window_elements.h>

#include <algorithm>
#include <vector>

#include <weft/base/size.h>
#include <weft/ir/builder.h>

namespace weft::compiler {

using ir::Value;
using Dims = std::vector<std::int64_t>;

std::int64_t elements_of(std::span<const ir::WindowDim> windows) {
  std::int64_t elements = 1;
  for (const ir::WindowDim& w : windows) elements *= w.size;
  return elements;
}

bool has_known_windows(std::span<const ir::WindowDim> windows, Type operand, Type result) {
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const ir::WindowDim& w = windows[d];
    const Dim from = operand.dims()[d], to = result.dims()[d];
    if (from.is_constant() ? from.value() == 0 : !w.is_trivial()) return false;
    if (to.is_constant() ? to.value() == 0 : !w.is_trivial()) return false;
    if (w.size == 0 || !Size(w.low).is_constant() || !Size(w.high).is_constant()) return false;
  }
  return true;
}

Value padded(Value x, Value padding, std::span<const ir::WindowDim> windows) {
  Dims low, high, interior;
  for (const ir::WindowDim& w : windows) {
    low.push_back(w.low);
    high.push_back(w.high);
    interior.push_back(w.base_dilation - 1);
  }
  const auto is_zero = [](std::int64_t n) { return n == 0; };
  const bool is_same =
      std::ranges::all_of(low, is_zero) && std::ranges::all_of(high, is_zero) && std::ranges::all_of(interior, is_zero);
  return is_same ? x : ir::pad(x, padding, low, high, interior);
}

Value element_of_windows(Value x, std::int64_t k, std::span<const ir::WindowDim> windows, Type result) {
  const std::size_t rank = windows.size();
  Dims start(rank), limit(rank), strides(rank);
  for (std::size_t d = rank; d-- > 0;) {
    if (windows[d].is_trivial()) {
      limit[d] = Size(x.type().dims()[d]).bits();
      strides[d] = 1;
      continue;
    }
    start[d] = k % windows[d].size * windows[d].dilation;
    k /= windows[d].size;
    strides[d] = windows[d].stride;
    limit[d] = start[d] + (result.size(static_cast<int>(d)) - 1) * strides[d] + 1;
  }
  return ir::slice(x, start, limit, strides);
}

}  // namespace weft::compiler
