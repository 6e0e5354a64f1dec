#include <weft/compiler/passes/window_selection.h>

#include <algorithm>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/window_elements.h>
#include <weft/ir/builder.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;
using Windows = std::vector<ir::WindowDim>;

Windows windows_of_selection(const ir::Node& node) {
  Windows windows;
  for (int d = 0; d < node.type().rank(); ++d)
    windows.push_back(ir::window_dim(node.attributes<ir::SelectAndScatterAttributes>(), d));
  return windows;
}

Value scalar(ir::Graph& graph, DType dtype, double value) { return ir::constant(graph, Type(dtype, {}), value); }

// Returns for each window the number of the element that it selects; -1 where there is nothing but padding.
Value selected(ir::Graph& graph, const ir::Node& node, Value x, Type of_windows) {
  const Windows windows = windows_of_selection(node);
  const auto has_padding = [](const ir::WindowDim& w) { return w.low != 0 || w.high != 0; };
  const Value values = padded(x, scalar(graph, x.dtype(), 0), windows);
  Value inside;
  if (std::ranges::any_of(windows, has_padding)) {
    const Value everywhere = ir::constant(graph, x.type().with(DType::boolean), 1);
    inside = padded(everywhere, scalar(graph, DType::boolean, 0), windows);
  }
  const Type numbers = of_windows.with(DType::i32);
  Value held, number = ir::constant(graph, numbers, -1);
  for (std::int64_t k = 0; k < elements_of(windows); ++k) {
    const Value candidate = element_of_windows(values, k, windows, of_windows);
    Value taken = inside ? element_of_windows(inside, k, windows, of_windows)
                         : ir::constant(graph, of_windows.with(DType::boolean), 1);
    if (held) {
      const Value keeps = ir::legalize::expand_map(graph, std::array{held, candidate}, *node.regions[0])[0];
      const Value has_one = ir::compare(number, ir::constant_like(number, 0), ir::Direction::GE);
      taken = ir::and_(taken, ir::not_(ir::and_(has_one, keeps)));
    }
    held = held ? ir::select(taken, candidate, held) : candidate;
    number = ir::select(taken, ir::constant(graph, numbers, static_cast<double>(k)), number);
  }
  return number;
}

// Says where the elements of an operand lie along one dimension, relative to the windows: an element at place p of the operand with its padding is
// number p % stride in step p / stride. A window w has its element k in step w + k / stride.
struct Steps {
  std::int64_t stride;
  Dim count;

  Steps(const ir::WindowDim& w, Dim size)
      : stride(w.stride),
        count(w.is_trivial() ? size
                             : Dim(std::max<std::int64_t>(1, (w.low + size.value() + w.stride - 1) / w.stride))) {}
};

std::vector<Steps> steps_of(const Windows& windows, Type x) {
  std::vector<Steps> steps;
  for (std::size_t d = 0; d < windows.size(); ++d) steps.emplace_back(windows[d], x.dims()[d]);
  return steps;
}

std::int64_t elements_in(const std::vector<Steps>& steps) {
  std::int64_t elements = 1;
  for (const Steps& s : steps) elements *= s.stride;
  return elements;
}

// Returns the place, along each dimension, of a window's element of this number in row-major order.
Dims place_in_window(std::int64_t number, const Windows& windows) {
  Dims place(windows.size());
  for (std::size_t d = windows.size(); d-- > 0;) {
    place[d] = number % windows[d].size;
    number /= windows[d].size;
  }
  return place;
}

// Puts what each window has for an element into the step of that element.
Value into_steps(Value of_windows, const Dims& element, const std::vector<Steps>& steps, const Windows& windows) {
  const std::size_t rank = steps.size();
  Dims low(rank), high(rank);
  const Dims interior(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    if (windows[d].is_trivial()) continue;
    low[d] = element[d] / steps[d].stride;
    high[d] = steps[d].count.value() - of_windows.type().size(static_cast<int>(d)) - low[d];
  }
  return ir::pad(of_windows, scalar(of_windows.graph(), of_windows.dtype(), 0), low, high, interior);
}

// Returns the operand's elements, given those of each number in the steps.
Value from_steps(std::span<const Value> parts, const std::vector<Steps>& steps, const Windows& windows, Type result,
                 Value init) {
  const std::size_t rank = steps.size();
  std::vector<Value> rows;
  std::vector<Dim> row{1}, split, joined;
  Dims order, low(rank), high(rank);
  const Dims interior(rank, 0);
  for (std::size_t d = 0; d < rank; ++d) {
    row.emplace_back(steps[d].count);
    split.emplace_back(steps[d].stride);
    joined.push_back(steps[d].count * Dim(steps[d].stride));
    order.insert(order.end(), {static_cast<std::int64_t>(rank + d), static_cast<std::int64_t>(d)});
    if (windows[d].is_trivial()) continue;
    low[d] = -windows[d].low;
    high[d] = result.size(static_cast<int>(d)) + windows[d].low - joined[d].value();
  }
  split.insert(split.end(), row.begin() + 1, row.end());
  for (const Value part : parts) rows.push_back(ir::reshape(part, row));
  const Value all = rows.size() == 1 ? rows[0] : ir::concatenate(rows, 0);
  return ir::pad(ir::reshape(ir::transpose(ir::reshape(all, split), order), joined), init, low, high, interior);
}

}  // namespace

bool is_small_selection(const ir::Node& node) {
  if (node.op != &ir::ops::select_and_scatter) return false;
  const Windows windows = windows_of_selection(node);
  return has_known_windows(windows, node.type(), node.operand(1).type()) &&
         elements_of(windows) <= most_window_elements &&
         elements_in(steps_of(windows, node.type())) <= most_window_elements && is_scalar_body(*node.regions[0]) &&
         is_scalar_body(*node.regions[1]);
}

Value selection_of_slices(ir::Graph& graph, const ir::Node& node, std::span<const Value> operands) {
  const Windows windows = windows_of_selection(node);
  const std::vector<Steps> steps = steps_of(windows, node.type());
  const bool adds = ir::reduction_op(*node.regions[1]) == &ir::ops::add && is_float(node.type().dtype());
  const DType dtype = adds ? accumulator_type(node.type().dtype()) : node.type().dtype();
  const Value source = ir::convert(operands[1], dtype), init = ir::convert(operands[2], dtype);
  const Value number = selected(graph, node, operands[0], source.type());
  std::vector<Dim> counts;
  for (const Steps& s : steps) counts.emplace_back(s.count);
  std::vector<Value> parts(elements_in(steps), ir::broadcast(init, Type(dtype, counts)));
  // Of two windows with an element in common, the first one has it at the higher number.
  for (std::int64_t k = elements_of(windows); k-- > 0;) {
    const Dims element = place_in_window(k, windows);
    std::int64_t in_step = 0;
    for (std::size_t d = 0; d < steps.size(); ++d) in_step = in_step * steps[d].stride + element[d] % steps[d].stride;
    const Value is_selected = ir::compare(number, ir::constant_like(number, static_cast<double>(k)), ir::Direction::EQ);
    const Value chosen = ir::select(is_selected, source, ir::constant_like(source, 0));
    const Value term = into_steps(chosen, element, steps, windows);
    Value& part = parts[in_step];
    part = adds ? part + term
                : ir::select(into_steps(is_selected, element, steps, windows),
                             ir::legalize::expand_map(graph, std::array{part, term}, *node.regions[1])[0], part);
  }
  return ir::convert(from_steps(parts, steps, windows, node.type(), init), node.type().dtype());
}

}  // namespace weft::compiler
