#include <weft/compiler/passes/convolution_product.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/passes/window_elements.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::ConvolutionAttributes;
using ir::Value;
using ir::WindowDim;
using Dims = std::vector<std::int64_t>;

// Says what a dimension of an operand or of the product stands for. Of positions and elements, `spatial` is the number of the spatial
// dimension.
struct Label {
  enum class Kind : std::uint8_t { batch, feature, output_feature, group, position, element };
  Kind kind;  // position: of the kernel over the input; element: of the kernel
  int spatial = 0;

  friend bool operator==(const Label&, const Label&) = default;
};
using Kind = Label::Kind;

struct Labelled {
  Value value;
  std::vector<Label> labels;

  std::size_t place(Label label) const { return std::ranges::find(labels, label) - labels.begin(); }
};

std::vector<Dim> sizes_of(Value x) { return {x.type().dims().begin(), x.type().dims().end()}; }

// Returns the value with its dimensions in this order. Labels that it does not have are passed over.
Labelled in_order(const Labelled& x, std::span<const Label> order) {
  Dims permutation;
  std::vector<Label> labels;
  for (const Label label : order)
    if (const std::size_t at = x.place(label); at < x.labels.size()) {
      permutation.push_back(static_cast<std::int64_t>(at));
      labels.push_back(label);
    }
  return {std::ranges::is_sorted(permutation) ? x.value : ir::transpose(x.value, permutation), labels};
}

// Along one spatial dimension, a patch is given by its position and by an element of the kernel. The fewer ones are listed: each has a slice,
// in which the others run.
struct Window {
  std::int64_t listed, running;
  bool lists_elements;
  WindowDim dim;
};

Window window_of(const ir::Node& node, int spatial) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  const std::int64_t elements = node.operand(1).type().size(static_cast<int>(a.kernel_spatial[spatial])),
                     positions = node.type().size(static_cast<int>(a.output_spatial[spatial]));
  const bool lists_elements = elements <= positions;
  return {std::min(elements, positions), std::max(elements, positions), lists_elements,
          ir::window_dim(a, spatial, elements)};
}

std::vector<Window> spatial_windows_of(const ir::Node& node) {
  std::vector<Window> windows;
  for (int d = 0; d < std::ssize(node.attributes<ConvolutionAttributes>().input_spatial); ++d)
    windows.push_back(window_of(node, d));
  return windows;
}

// Returns the input with the holes and the padding of all spatial dimensions. Last are the features, which are summed with the listed elements
// of the kernel, or the batches, if positions are listed: so the product reads the patches in place.
Labelled whole_input(const ir::Node& node, Value input, const std::vector<Window>& windows) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  Labelled result{input, std::vector<Label>(input.rank())};
  result.labels[a.input_batch] = {Kind::batch};
  result.labels[a.input_feature] = {Kind::feature};
  std::vector<WindowDim> dims(input.rank());
  for (int d = 0; d < std::ssize(a.input_spatial); ++d) {
    result.labels[a.input_spatial[d]] = {Kind::position, d};
    dims[a.input_spatial[d]] = windows[d].dim;
  }
  result.value = padded(input, ir::constant(input.graph(), Type(input.dtype(), {}), 0.0), dims);
  const bool lists_positions =
      std::ranges::any_of(windows, [](const Window& w) { return !w.lists_elements && w.listed > 1; });
  const Label first{lists_positions ? Kind::feature : Kind::batch}, last{lists_positions ? Kind::batch : Kind::feature};
  std::vector<Label> order{first};
  std::ranges::copy_if(result.labels, std::back_inserter(order),
                       [](Label label) { return label.kind == Kind::position; });
  order.push_back(last);
  return in_order(result, order);
}

// Takes one slice of the input for each listed position or element of these spatial dimensions.
Labelled with_slices(const Labelled& x, const std::vector<int>& spatial, const std::vector<Window>& windows) {
  std::int64_t count = 1;
  for (const int d : spatial) count *= windows[d].listed;
  const std::vector<Dim> sizes = sizes_of(x.value);
  const std::ptrdiff_t place = std::ssize(sizes) - 1;
  std::vector<Value> slices;
  std::vector<Dim> slice_sizes;
  for (std::int64_t i = 0; i < count; ++i) {
    Dims start(sizes.size(), 0), limit, strides(sizes.size(), 1);
    for (const Dim size : sizes) limit.push_back(Size(size).bits());
    std::int64_t rest = i;
    for (std::size_t k = spatial.size(); k-- > 0;) {
      const Window& w = windows[spatial[k]];
      const std::size_t at = x.place({Kind::position, spatial[k]});
      const std::int64_t listed = rest % w.listed;
      rest /= w.listed;
      start[at] = listed * (w.lists_elements ? w.dim.dilation : w.dim.stride);
      strides[at] = w.lists_elements ? w.dim.stride : w.dim.dilation;
      limit[at] = start[at] + (w.running - 1) * strides[at] + 1;
    }
    const Value slice = ir::slice(x.value, start, limit, strides);
    slice_sizes = sizes_of(slice);
    std::vector<Dim> with_one = slice_sizes;
    with_one.insert(with_one.begin() + place, Dim(1));
    slices.push_back(ir::reshape(slice, with_one));
  }
  const Value all = slices.size() == 1 ? slices[0] : ir::concatenate(slices, place);
  Labelled result{all, x.labels};
  std::vector<Dim> listed_sizes;
  std::vector<Label> listed;
  for (const int d : spatial) {
    listed_sizes.emplace_back(windows[d].listed);
    listed.push_back({windows[d].lists_elements ? Kind::element : Kind::position, d});
    result.labels[x.place({Kind::position, d})] = {windows[d].lists_elements ? Kind::position : Kind::element, d};
  }
  slice_sizes.insert(slice_sizes.begin() + place, listed_sizes.begin(), listed_sizes.end());
  result.labels.insert(result.labels.begin() + place, listed.begin(), listed.end());
  result.value = ir::reshape(all, slice_sizes);
  return result;
}

// Splits the dimension into groups, if there are several, and the elements of a group.
void split_groups(Labelled& x, Label label, std::int64_t groups) {
  if (groups == 1) return;
  const std::size_t at = x.place(label);
  std::vector<Dim> sizes = sizes_of(x.value);
  sizes[at] = sizes[at].value() / groups;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), Dim(groups));
  x.value = ir::reshape(x.value, sizes);
  x.labels.insert(x.labels.begin() + static_cast<std::ptrdiff_t>(at), {Kind::group});
}

Labelled patches_of(const ir::Node& node, Value input) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  const std::vector<Window> windows = spatial_windows_of(node);
  Labelled x = whole_input(node, input, windows);
  std::vector<int> all;
  std::int64_t slices = 1;
  for (int d = 0; d < std::ssize(windows); ++d) {
    all.push_back(d);
    slices *= windows[d].listed;
  }
  if (slices <= most_window_elements)
    x = with_slices(x, all, windows);
  else
    for (const int d : all) x = with_slices(x, {d}, windows);
  split_groups(x, {Kind::feature}, a.feature_groups);
  split_groups(x, {Kind::batch}, a.batch_groups);
  return x;
}

Labelled kernel_of(const ir::Node& node, Value kernel) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  Labelled result{kernel, std::vector<Label>(kernel.rank())};
  result.labels[a.kernel_input_feature] = {Kind::feature};
  result.labels[a.kernel_output_feature] = {Kind::output_feature};
  Dims reversed;
  for (int d = 0; d < std::ssize(a.kernel_spatial); ++d) {
    result.labels[a.kernel_spatial[d]] = {Kind::element, d};
    if (window_of(node, d).dim.reversed) reversed.push_back(a.kernel_spatial[d]);
  }
  if (!reversed.empty()) result.value = ir::reverse(kernel, reversed);
  split_groups(result, {Kind::output_feature}, a.feature_groups * a.batch_groups);
  return result;
}

// Multiplies over the labels that both have, and sums over all of them but the groups.
Labelled product(const Labelled& x, const Labelled& kernel, DType dtype) {
  Dims x_batching, kernel_batching, x_contracting, kernel_contracting;
  std::vector<Label> groups, of_result;
  for (std::size_t d = 0; d < x.labels.size(); ++d) {
    const std::size_t in_kernel = kernel.place(x.labels[d]);
    const bool is_shared = in_kernel < kernel.labels.size(), is_group = x.labels[d].kind == Kind::group;
    if (!is_shared) of_result.push_back(x.labels[d]);
    if (is_group) groups.push_back(x.labels[d]);
    if (!is_shared) continue;
    (is_group ? x_batching : x_contracting).push_back(static_cast<std::int64_t>(d));
    (is_group ? kernel_batching : kernel_contracting).push_back(static_cast<std::int64_t>(in_kernel));
  }
  of_result.insert(of_result.begin(), groups.begin(), groups.end());
  of_result.push_back({Kind::output_feature});
  const Value result =
      ir::dot_general(x.value, kernel.value, {x_batching, kernel_batching, x_contracting, kernel_contracting}, dtype);
  return {result, of_result};
}

// Brings the product's dimensions into the order of the convolution's result.
Value as_result(const ir::Node& node, const Labelled& x) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  std::vector<std::vector<Label>> parts(node.type().rank());
  parts[a.output_batch] = {{Kind::batch}};
  parts[a.output_feature] = {{Kind::group}, {Kind::output_feature}};
  for (int d = 0; d < std::ssize(a.output_spatial); ++d) parts[a.output_spatial[d]] = {{Kind::position, d}};
  std::vector<Label> order;
  for (const std::vector<Label>& part : parts) order.insert(order.end(), part.begin(), part.end());
  return ir::reshape(in_order(x, order).value, node.type().dims());
}

}  // namespace

bool has_known_spatial_sizes(const ir::Node& node) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  const auto is_known = [](Type type, ir::Ints dims) {
    return std::ranges::all_of(dims, [&](std::int64_t d) { return type.dims()[d].is_constant(); });
  };
  return is_known(node.operand(0).type(), a.input_spatial) && is_known(node.operand(1).type(), a.kernel_spatial) &&
         is_known(node.type(), a.output_spatial) &&
         std::ranges::all_of(a.padding, [](std::int64_t number) { return Size(number).is_constant(); });
}

bool has_product_of_patches(const ir::Node& node) {
  if (node.op != &ir::ops::convolution) return false;
  const auto& a = node.attributes<ConvolutionAttributes>();
  const Type input = node.operand(0).type(), kernel = node.operand(1).type();
  const bool has_groups = a.feature_groups * a.batch_groups > 1;
  if (input.dtype() != kernel.dtype() || (has_groups && !ir::is_static(node)) || !has_known_spatial_sizes(node))
    return false;
  const auto is_empty = [](Dim size) { return size.is_constant() && size.value() == 0; };
  const bool has_elements = std::ranges::none_of(node.type().dims(), is_empty) &&
                            std::ranges::none_of(input.dims(), is_empty) &&
                            std::ranges::none_of(kernel.dims(), is_empty);
  return has_elements && std::ranges::all_of(spatial_windows_of(node),
                                             [](const Window& w) { return w.listed <= most_window_elements; });
}

Value product_of_patches(const ir::Node& node, Value input, Value kernel) {
  return as_result(node, product(patches_of(node, input), kernel_of(node, kernel), node.type().dtype()));
}

}  // namespace weft::compiler
