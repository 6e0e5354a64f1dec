#include <algorithm>
#include <cstddef>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;

std::vector<ir::WindowDim> windows_of(const ir::Node& node) {
  std::vector<ir::WindowDim> windows;
  for (int d = 0; d < node.type().rank(); ++d)
    windows.push_back(ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d));
  return windows;
}

std::int64_t elements_of(std::span<const ir::WindowDim> windows) {
  std::int64_t elements = 1;
  for (const ir::WindowDim& w : windows) elements *= w.size;
  return elements;
}

// A kernel has code of its own for each element of the window.
constexpr std::int64_t most_elements = 64;

bool has_small_window(const ir::Node& node) {
  if (node.op != &ir::ops::reduce_window || !ir::is_static(node) || !is_scalar_body(*node.regions[0])) return false;
  const std::int64_t elements = elements_of(windows_of(node));
  return elements > 0 && elements <= most_elements && node.type().elements() > 0 &&
         node.operand(0).type().elements() > 0;
}

// Sums and products of 16-bit floats are rounded once.
bool is_widened(const ir::Node& node) {
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  return (op == &ir::ops::add || op == &ir::ops::multiply) &&
         accumulator_type(node.type().dtype()) != node.type().dtype();
}

// Returns the operand with its padding and with the holes of its dilation.
Value padded(Value x, Value init, std::span<const ir::WindowDim> windows) {
  Dims low, high, interior;
  for (const ir::WindowDim& w : windows) {
    low.push_back(w.low);
    high.push_back(w.high);
    interior.push_back(w.base_dilation - 1);
  }
  const auto is_zero = [](std::int64_t n) { return n == 0; };
  const bool is_same =
      std::ranges::all_of(low, is_zero) && std::ranges::all_of(high, is_zero) && std::ranges::all_of(interior, is_zero);
  return is_same ? x : ir::pad(x, init, low, high, interior);
}

// Returns element number `k` of every window, in row-major order.
Value element_of_windows(Value x, std::int64_t k, std::span<const ir::WindowDim> windows, Type result) {
  const std::size_t rank = windows.size();
  Dims start(rank), limit(rank), strides(rank);
  for (std::size_t d = rank; d-- > 0;) {
    start[d] = k % windows[d].size * windows[d].dilation;
    k /= windows[d].size;
    strides[d] = windows[d].stride;
    limit[d] = start[d] + (result.size(static_cast<int>(d)) - 1) * strides[d] + 1;
  }
  return ir::slice(x, start, limit, strides);
}

std::vector<Value> fold_windows(ir::Graph& graph, const ir::Node& node, std::span<const Value> operands) {
  const std::vector<ir::WindowDim> windows = windows_of(node);
  const std::size_t count = node.types.size();
  const bool widens = is_widened(node);
  const DType dtype = widens ? accumulator_type(node.type().dtype()) : node.type().dtype();
  const std::shared_ptr<const ir::Graph> wide =
      widens ? ir::reduction_body(*ir::reduction_op(*node.regions[0]), dtype) : nullptr;
  const auto widen = [&](Value x) { return widens ? ir::convert(x, dtype) : x; };
  std::vector<Value> sources, folded;
  for (std::size_t i = 0; i < count; ++i) {
    const Value init = operands[count + i];
    sources.push_back(padded(operands[i], init, windows));
    folded.push_back(ir::broadcast(widen(init), node.type(static_cast<int>(i)).with(widen(init).dtype())));
  }
  for (std::int64_t k = 0; k < elements_of(windows); ++k) {
    std::vector<Value> inputs = folded;
    for (const Value source : sources) inputs.push_back(widen(element_of_windows(source, k, windows, node.type())));
    folded = ir::legalize::expand_map(graph, inputs, wide ? *wide : *node.regions[0]);
  }
  for (std::size_t i = 0; i < count; ++i) folded[i] = ir::convert(folded[i], node.type(static_cast<int>(i)).dtype());
  return folded;
}

}  // namespace

std::shared_ptr<ir::Graph> expand_windows(const ir::Graph& graph, const Target& target) {
  if (!target.is_gpu) return nullptr;
  return rewrite_where(graph, has_small_window,
                       [](ir::Graph& to, const ir::Node& node, std::span<const Value> operands) {
                         return std::optional(fold_windows(to, node, operands));
                       });
}

}  // namespace weft::compiler
