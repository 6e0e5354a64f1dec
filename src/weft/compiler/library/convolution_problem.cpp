// StableHLO has a single convolution op. It expresses the forward pass and both gradients. The gradient of the input slides the cotangent,
// dilated by the stride, under the reversed kernel. The gradient of the kernel slides a kernel as large as the cotangent over the input,
// with batch and features exchanged. If instead the base is dilated, it is the gradient of a transposed convolution's kernel: input and
// cotangent change places, and the result is reversed.
#include <weft/compiler/library/convolution_problem.h>

#include <algorithm>

namespace weft::compiler {

namespace {

using Problem = ConvolutionProblem;

constexpr int src = 0, weights = 1, dst = 2;

ConvolutionTensor exchanged(ConvolutionTensor t) {
  std::swap(t.sizes[0], t.sizes[1]);
  std::swap(t.strides[0], t.strides[1]);
  return t;
}

// Returns which dimensions of the kernel the window reverses (`turns`) or does not reverse; empty if there are none.
std::vector<bool> reversed(const ConvolutionShape& s, bool turns) {
  std::vector<bool> dims;
  for (const ir::WindowDim& w : s.window) dims.push_back(w.size > 1 && w.reversed == turns);
  return std::ranges::find(dims, true) == dims.end() ? std::vector<bool>{} : dims;
}

Problem forward_problem(const ConvolutionShape& s) {
  Problem p{.pass = ConvolutionPass::forward, .src = s.x, .weights = s.kernel, .dst = s.y, .groups = s.feature_groups};
  p.reversed = reversed(s, true);
  p.roles = {src, weights, dst};
  for (const ir::WindowDim& w : s.window) {
    p.strides.push_back(w.stride);
    p.dilations.push_back(w.dilation - 1);
    p.low.push_back(w.low);
    p.high.push_back(w.high);
  }
  return p;
}

// x is the cotangent of the convolution that maps y to x with the unreversed kernel. That convolution's kernel is [x features, y features
// of a group]; this one's is [y features, x features of a group].
Problem data_problem(const ConvolutionShape& s) {
  Problem p{.pass = ConvolutionPass::backward_data,
            .src = s.y,
            .weights = exchanged(s.kernel),
            .dst = s.x,
            .groups = s.feature_groups};
  p.split = 1;
  p.reversed = reversed(s, false);
  p.roles = {dst, weights, src};
  for (const ir::WindowDim& w : s.window) {
    p.strides.push_back(w.base_dilation);
    p.dilations.push_back(w.dilation - 1);
    p.low.push_back(w.dilated_size() - 1 - w.low);
    p.high.push_back(w.dilated_size() - 1 - w.high);
  }
  return p;
}

// The kernel is the cotangent. The result slides in steps of the window's dilation.
Problem weights_problem(const ConvolutionShape& s) {
  Problem p{.pass = ConvolutionPass::backward_weights,
            .src = exchanged(s.x),
            .weights = exchanged(s.y),
            .dst = exchanged(s.kernel),
            .groups = s.batch_groups};
  p.roles = {src, dst, weights};
  for (std::size_t d = 0; d < s.window.size(); ++d) {
    const ir::WindowDim& w = s.window[d];
    p.strides.push_back(w.dilation);
    p.dilations.push_back(w.stride - 1);
    p.low.push_back(w.low);
    p.high.push_back(w.dilated_size() + (s.y.sizes[d + 2] - 1) * w.stride - s.x.sizes[d + 2] - w.low);
  }
  return p;
}

// Element q of x meets element q * dilation + low - o * stride of the kernel in element o of the result. So x is the cotangent of a
// convolution that slides over the kernel, and element o of the result is its weight number size - 1 - o.
Problem transposed_weights_problem(const ConvolutionShape& s) {
  Problem p{.pass = ConvolutionPass::backward_weights,
            .src = exchanged(s.kernel),
            .weights = s.y,
            .dst = exchanged(s.x),
            .groups = s.batch_groups};
  p.split = 1;
  p.roles = {dst, src, weights};
  for (std::size_t d = 0; d < s.window.size(); ++d) {
    const ir::WindowDim& w = s.window[d];
    const std::int64_t reach = (s.y.sizes[d + 2] - 1) * w.stride;
    p.strides.push_back(w.base_dilation);
    p.dilations.push_back(w.stride - 1);
    p.low.push_back(reach - w.low);
    p.high.push_back(w.dilated_base(s.x.sizes[d + 2]) + w.low - w.size);
    p.reversed.push_back(s.y.sizes[d + 2] > 1);
  }
  return p;
}

}  // namespace

std::vector<Problem> convolution_problems(const ConvolutionShape& s) {
  const auto all = [&](auto&& holds) { return std::ranges::all_of(s.window, holds); };
  const bool as_given = all([](const ir::WindowDim& w) { return !w.reversed || w.size == 1; });
  const bool reversed = all([](const ir::WindowDim& w) { return w.reversed || w.size == 1; });
  const bool holes_in_base = !all([](const ir::WindowDim& w) { return w.base_dilation == 1; });
  const bool dense_window = all([](const ir::WindowDim& w) { return w.dilation == 1; });
  const bool single_steps = all([](const ir::WindowDim& w) { return w.stride == 1; });
  const bool large_kernel = s.kernel.spatial_elements() > s.y.spatial_elements();

  std::vector<Problem> problems;
  if (as_given && s.feature_groups == 1 && (large_kernel || s.batch_groups > 1)) {
    if (!holes_in_base) problems.push_back(weights_problem(s));
    if (holes_in_base && dense_window) problems.push_back(transposed_weights_problem(s));
  }
  if (s.batch_groups > 1) return problems;
  if (single_steps && (holes_in_base || (reversed && !as_given))) problems.push_back(data_problem(s));
  if (!holes_in_base) problems.push_back(forward_problem(s));
  return problems;
}

}  // namespace weft::compiler
