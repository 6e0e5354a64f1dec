// The gradient of convolution: a convolution of the cotangent with the kernel for the input, and of the input with the cotangent
// for the kernel.
#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

// Splits `groups` off dimension `from`, as its major part, and merges them into dimension `to`, as its major part.
Value move_groups(Value x, std::int64_t groups, std::int64_t from, std::int64_t to) {
  const auto dims = x.type().dims();
  const auto rank = std::ssize(dims);
  std::vector<Dim> split, merged(dims.begin(), dims.end());
  Dims permutation;  // of the split dimensions: dimension `from` is the groups, later dimensions are shifted by one
  for (std::int64_t d = 0; d < rank; ++d) {
    const Dim size = dims[d];
    if (d == from) split.push_back(groups);
    split.push_back(d == from ? floor_divide(size, groups) : size);
    if (d == to) permutation.push_back(from);
    permutation.push_back(d < from ? d : d + 1);
  }
  merged[from] = floor_divide(merged[from], groups);
  merged[to] = merged[to] * Dim(groups);
  return reshape(transpose(reshape(x, split), permutation), merged);
}

// The window attributes under construction.
struct Window {
  Dims strides, padding, lhs_dilation, rhs_dilation, reversal;
};

struct Sizes {
  std::int64_t x, y;
  WindowDim window;
};

Sizes sizes_of(const GradientCall& c, const ConvolutionAttributes& a, std::size_t i) {
  const auto size = [](Value v, std::int64_t d) { return v.size(d); };
  return {size(c.x(0), a.input_spatial[i]), size(c.y(), a.output_spatial[i]),
          window_dim(a, i, size(c.x(1), a.kernel_spatial[i]))};
}

std::int64_t dilated(std::int64_t size, std::int64_t dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

// The cotangent of the input: the mirrored kernel slides over the cotangent.
Value input_cotangent(const GradientCall& c, const ConvolutionAttributes& a, Value dy) {
  Window w;
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const auto [x, y, forward] = sizes_of(c, a, i);
    const std::int64_t low = forward.dilated_size() - 1 - forward.low;
    w.strides.push_back(forward.base_dilation);
    w.lhs_dilation.push_back(forward.stride);
    w.rhs_dilation.push_back(forward.dilation);
    w.padding.push_back(low);
    w.padding.push_back(forward.dilated_base(x) + forward.dilated_size() - 1 - dilated(y, forward.stride) - low);
    w.reversal.push_back(forward.reversed ? 0 : 1);
  }
  const std::int64_t groups = a.feature_groups * a.batch_groups;
  Value kernel = c.x(1);
  if (groups > 1) kernel = move_groups(kernel, groups, a.kernel_output_feature, a.kernel_input_feature);
  const Value dx = convolution(dy, kernel,
                               {.input_batch = a.output_batch,
                                .input_feature = a.output_feature,
                                .input_spatial = a.output_spatial,
                                .kernel_input_feature = a.kernel_output_feature,
                                .kernel_output_feature = a.kernel_input_feature,
                                .kernel_spatial = a.kernel_spatial,
                                .output_batch = a.input_batch,
                                .output_feature = a.input_feature,
                                .output_spatial = a.input_spatial,
                                .strides = w.strides,
                                .padding = w.padding,
                                .lhs_dilation = w.lhs_dilation,
                                .rhs_dilation = w.rhs_dilation,
                                .reversal = w.reversal,
                                .feature_groups = groups});
  return a.batch_groups > 1 ? move_groups(dx, a.batch_groups, a.input_feature, a.input_batch) : dx;
}

// The cotangent of the kernel: the cotangent slides over the input as a kernel; batch and feature dimensions swap roles.
Value kernel_cotangent(const GradientCall& c, const ConvolutionAttributes& a, Value dy) {
  Window w;
  Dims reversed;
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const auto [x, y, forward] = sizes_of(c, a, i);
    w.strides.push_back(forward.dilation);
    w.lhs_dilation.push_back(forward.base_dilation);
    w.rhs_dilation.push_back(forward.stride);
    w.padding.push_back(forward.low);
    w.padding.push_back(dilated(y, forward.stride) - forward.dilated_base(x) + forward.dilated_size() - 1 -
                        forward.low);
    if (forward.reversed) reversed.push_back(a.kernel_spatial[i]);
  }
  const Value dk = convolution(c.x(0), dy,
                               {.input_batch = a.input_feature,
                                .input_feature = a.input_batch,
                                .input_spatial = a.input_spatial,
                                .kernel_input_feature = a.output_batch,
                                .kernel_output_feature = a.output_feature,
                                .kernel_spatial = a.output_spatial,
                                .output_batch = a.kernel_input_feature,
                                .output_feature = a.kernel_output_feature,
                                .output_spatial = a.kernel_spatial,
                                .strides = w.strides,
                                .padding = w.padding,
                                .lhs_dilation = w.lhs_dilation,
                                .rhs_dilation = w.rhs_dilation,
                                .reversal = {},
                                .feature_groups = a.batch_groups,
                                .batch_groups = a.feature_groups});
  return reversed.empty() ? dk : reverse(dk, reversed);
}

// Returns whether the window is mirrored and moves by one element at a time, as in a transposed convolution.
bool is_transposed(const GradientCall& c, const ConvolutionAttributes& a) {
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const WindowDim w = sizes_of(c, a, i).window;
    if (w.stride != 1 || (!w.reversed && w.size > 1)) return false;
  }
  return !a.input_spatial.empty() && a.batch_groups == 1;
}

// The cotangent of the kernel of a transposed convolution: the input slides over the cotangent, and neither is dilated.
Value transposed_kernel_cotangent(const GradientCall& c, const ConvolutionAttributes& a, Value dy) {
  Window w;
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const auto [x, y, forward] = sizes_of(c, a, i);
    const std::int64_t low = forward.dilated_size() - 1 - forward.low;
    w.strides.push_back(forward.dilation);
    w.rhs_dilation.push_back(forward.base_dilation);
    w.padding.push_back(low);
    w.padding.push_back(forward.dilated_size() - 1 + forward.dilated_base(x) - y - low);
  }
  const Value dk = convolution(dy, c.x(0),
                               {.input_batch = a.output_feature,
                                .input_feature = a.output_batch,
                                .input_spatial = a.output_spatial,
                                .kernel_input_feature = a.input_batch,
                                .kernel_output_feature = a.input_feature,
                                .kernel_spatial = a.input_spatial,
                                .output_batch = a.kernel_output_feature,
                                .output_feature = a.kernel_input_feature,
                                .output_spatial = a.kernel_spatial,
                                .strides = w.strides,
                                .padding = w.padding,
                                .lhs_dilation = {},
                                .rhs_dilation = w.rhs_dilation,
                                .reversal = {},
                                .feature_groups = 1,
                                .batch_groups = a.feature_groups});
  return a.feature_groups > 1 ? move_groups(dk, a.feature_groups, a.kernel_input_feature, a.kernel_output_feature) : dk;
}

}  // namespace

void convolution_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<ConvolutionAttributes>();
  const Value dy = convert(c.dy(), c.x(0).dtype());
  const bool nothing = is_empty(c.dy().type()) || is_empty(c.x(0).type()) ||
                       is_empty(c.x(1).type());  // a window of size 0 does not slide
  if (c.needs(0)) c.add(0, nothing ? zeros_like(c.x(0)) : input_cotangent(c, a, dy));
  if (!c.needs(1)) return;
  c.add(1, nothing               ? zeros_like(c.x(1))
           : is_transposed(c, a) ? transposed_kernel_cotangent(c, a, dy)
                                 : kernel_cotangent(c, a, dy));
}

}  // namespace weft::ir
