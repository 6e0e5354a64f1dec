#include <algorithm>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/passes/running_fold.h>
#include <weft/compiler/passes/window_elements.h>
#include <weft/compiler/passes/window_selection.h>
#include <weft/ir/builder.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;

std::vector<ir::WindowDim> windows_of(const ir::Node& node) {
  std::vector<ir::WindowDim> windows;
  for (int d = 0; d < node.type().rank(); ++d)
    windows.push_back(ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d));
  return windows;
}

// The kernels of a CPU serve windows of any size, so there, sizes that are no windows' must be known, too.
bool has_small_window(const ir::Node& node, const Target& target) {
  if (node.op != &ir::ops::reduce_window || !is_scalar_body(*node.regions[0])) return false;
  if (!target.is_gpu && !ir::is_static(node)) return false;
  const std::vector<ir::WindowDim> windows = windows_of(node);
  return elements_of(windows) <= most_window_elements &&
         has_known_windows(windows, node.operand(0).type(), node.type());
}

// Returns whether a CPU folds faster in the kernels around the node than by a call. Sums that keep the precision of their elements, as in strict
// mode, would be other ones there.
bool is_short_running_fold(const ir::Node& node, const Target& target, bool strict) {
  constexpr std::int64_t few_terms = 8, few_elements = 512;
  return !strict && !target.is_gpu && elements_of(windows_of(node)) <= few_terms &&
         node.type().elements() <= few_elements && running_fold(node);
}

// How the elements of windows are folded.
struct Terms {
  DType dtype;
  bool from_last = false;  // from the last element of a window to its first
};

// Sums and products of 16-bit floats are rounded once. Those of running folds are as the thunk for longer ones computes them, so that a device
// with a part of the rows gives the same bits.
Terms terms_of(const ir::Node& node, bool is_running) {
  const DType dtype = node.type().dtype();
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  const bool is_rounded = is_float(dtype) && (op == &ir::ops::add || op == &ir::ops::multiply);
  if (is_running) return {is_rounded ? DType::f64 : dtype, !running_fold(node)->is_forward};
  return {is_rounded ? accumulator_type(dtype) : dtype};
}

std::vector<Value> fold_windows(ir::Graph& graph, const ir::Node& node, std::span<const Value> operands,
                                const Terms& terms) {
  const std::vector<ir::WindowDim> windows = windows_of(node);
  const std::size_t count = node.types.size();
  const bool widens = terms.dtype != node.type().dtype();
  const std::shared_ptr<const ir::Graph> wide =
      widens ? ir::reduction_body(*ir::reduction_op(*node.regions[0]), terms.dtype) : nullptr;
  const auto widen = [&](Value x) { return widens ? ir::convert(x, terms.dtype) : x; };
  std::vector<Value> sources, folded;
  for (std::size_t i = 0; i < count; ++i) {
    const Value init = operands[count + i];
    sources.push_back(padded(operands[i], init, windows));
    folded.push_back(ir::broadcast(widen(init), node.type(static_cast<int>(i)).with(widen(init).dtype())));
  }
  const std::int64_t elements = elements_of(windows);
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t k = terms.from_last ? elements - 1 - i : i;
    std::vector<Value> inputs = folded;
    for (const Value source : sources) inputs.push_back(widen(element_of_windows(source, k, windows, node.type())));
    folded = ir::legalize::expand_map(graph, inputs, wide ? *wide : *node.regions[0]);
  }
  for (std::size_t i = 0; i < count; ++i) folded[i] = ir::convert(folded[i], node.type(static_cast<int>(i)).dtype());
  return folded;
}

// A CPU has kernels for windows, which compile faster and are as fast for many elements along several dimensions, and for running sums, whose
// windows are mostly padding.
bool is_for_cpu(const ir::Node& node) {
  constexpr std::int64_t few_elements = 16;
  const std::vector<ir::WindowDim> windows = windows_of(node);
  const bool is_along_one = std::ranges::count_if(windows, [](const ir::WindowDim& w) { return w.size > 1; }) <= 1;
  return (is_along_one || elements_of(windows) <= few_elements) &&
         std::ranges::all_of(windows, [](const ir::WindowDim& w) {
           return w.base_dilation == 1 && std::max(w.low, w.high) <= w.dilated_size() / 2;
         });
}

}  // namespace

std::shared_ptr<ir::Graph> expand_windows(const ir::Graph& graph, const Target& target, bool strict) {
  const auto is_running = [&](const ir::Node& node) { return is_short_running_fold(node, target, strict); };
  const auto wanted = [&](const ir::Node& node) {
    if (target.is_gpu && !strict && is_small_selection(node)) return true;
    return has_small_window(node, target) && (target.is_gpu || is_for_cpu(node) || is_running(node));
  };
  return rewrite_where(graph, wanted, [&](ir::Graph& to, const ir::Node& node, std::span<const Value> operands) {
    if (node.op == &ir::ops::select_and_scatter)
      return std::optional(std::vector{selection_of_slices(to, node, operands)});
    return std::optional(fold_windows(to, node, operands, terms_of(node, is_running(node))));
  });
}

}  // namespace weft::compiler
