#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/convolution_product.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/passes/window_elements.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;

// Returns the windows of all dimensions of the input.
std::vector<ir::WindowDim> windows_over_input(const ir::Node& node) {
  const auto& a = node.attributes<ir::ConvolutionAttributes>();
  std::vector<ir::WindowDim> windows(node.operand(0).rank());
  for (int d = 0; d < std::ssize(a.input_spatial); ++d)
    windows[a.input_spatial[d]] = ir::window_dim(a, d, node.operand(1).type().size(a.kernel_spatial[d]));
  return windows;
}

// Returns whether each channel is convolved on its own, by a kernel of few elements: filters of signals and images, depthwise convolutions.
bool is_by_channel(const ir::Node& node) {
  if (node.op != &ir::ops::convolution || !is_float(node.type().dtype()) || !has_known_spatial_sizes(node) ||
      !node.operand(1).type().is_static())
    return false;
  const auto& a = node.attributes<ir::ConvolutionAttributes>();
  const Type input = node.operand(0).type(), kernel = node.operand(1).type();
  const auto is_empty = [](Dim size) { return size.is_constant() && size.value() == 0; };
  const std::int64_t channels = kernel.size(a.kernel_output_feature);
  if (input.dims()[a.input_feature] != Dim(channels) || a.feature_groups != channels || a.batch_groups != 1 ||
      input.dtype() != kernel.dtype() || channels == 0 || std::ranges::any_of(node.type().dims(), is_empty))
    return false;
  const std::int64_t elements = kernel.elements() / channels;
  return elements > 0 && elements <= most_window_elements;
}

// Returns the kernel's elements in the order of the input's spatial dimensions, each as a vector of all channels.
std::vector<Value> taps_of(const ir::Node& node, Value kernel, DType dtype) {
  const auto& a = node.attributes<ir::ConvolutionAttributes>();
  std::vector<std::pair<std::int64_t, std::int64_t>> spatial;  // the dimensions of the input and of the kernel
  Dims reversed;
  for (std::size_t d = 0; d < a.input_spatial.size(); ++d) {
    spatial.emplace_back(a.input_spatial[d], a.kernel_spatial[d]);
    if (ir::window_dim(a, static_cast<int>(d), 1).reversed) reversed.push_back(a.kernel_spatial[d]);
  }
  std::ranges::sort(spatial);
  Dims order;
  for (const auto& [input, of_kernel] : spatial) order.push_back(of_kernel);
  order.insert(order.end(), {a.kernel_input_feature, a.kernel_output_feature});
  if (!reversed.empty()) kernel = ir::reverse(kernel, reversed);
  const std::int64_t channels = kernel.type().size(a.kernel_output_feature);
  const std::int64_t count = kernel.type().elements() / channels;
  const Value rows = ir::convert(ir::reshape(ir::transpose(kernel, order), {count, channels}), dtype);
  std::vector<Value> taps;
  for (std::int64_t k = 0; k < count; ++k)
    taps.push_back(ir::reshape(ir::slice(rows, Dims{k, 0}, Dims{k + 1, channels}, Dims{1, 1}), {channels}));
  return taps;
}

// Computes the sum of slices of the input, each times one element of the kernel.
Value sum_of_slices(const ir::Node& node, Value input, Value kernel) {
  const auto& a = node.attributes<ir::ConvolutionAttributes>();
  const std::vector<ir::WindowDim> windows = windows_over_input(node);
  const DType sums = accumulator_type(node.type().dtype());
  // The result, and the place of its dimensions among those of the input.
  Dims order(windows.size());
  std::vector<Dim> sizes(windows.size());
  const auto place = [&](std::int64_t of_input, std::int64_t of_output) {
    sizes[of_input] = node.type().dims()[of_output];
    order[of_output] = of_input;
  };
  place(a.input_batch, a.output_batch);
  place(a.input_feature, a.output_feature);
  for (std::size_t d = 0; d < a.input_spatial.size(); ++d) place(a.input_spatial[d], a.output_spatial[d]);
  const Type as_input(sums, sizes);
  const Value zero = ir::constant(input.graph(), Type(input.dtype(), {}), 0.0);
  const Value whole = padded(input, zero, windows);
  Value sum;
  for (std::int64_t k = 0; const Value tap : taps_of(node, kernel, sums)) {
    const Value term = ir::convert(element_of_windows(whole, k++, windows, as_input), sums) *
                       ir::broadcast_in_dim(tap, as_input, Dims{a.input_feature});
    sum = sum ? sum + term : term;
  }
  return ir::convert(ir::transpose(sum, order), node.type().dtype());
}

}  // namespace

std::shared_ptr<ir::Graph> expand_convolutions(const ir::Graph& graph, const Target& target) {
  // A library for CPUs is faster where there are several channels and spatial dimensions.
  const auto has_sum = [&](const ir::Node& node) {
    return is_by_channel(node) && (target.is_gpu || node.type().rank() == 3 ||
                                   node.attributes<ir::ConvolutionAttributes>().feature_groups == 1);
  };
  const auto wanted = [&](const ir::Node& node) {
    return has_sum(node) || (target.is_gpu && has_product_of_patches(node));
  };
  return rewrite_where(graph, wanted, [&](ir::Graph&, const ir::Node& node, std::span<const Value> operands) {
    const auto computed = has_sum(node) ? sum_of_slices : product_of_patches;
    return std::optional(std::vector{computed(node, operands[0], operands[1])});
  });
}

}  // namespace weft::compiler
