// Factor rules of contractions: ab,cb->ac (b summed).
#include <algorithm>
#include <numeric>
#include <tuple>

#include <weft/ir/factors.h>
#include <weft/ir/ops/contraction.h>
#include <weft/ir/ops/window_halo.h>
#include <weft/ir/resize.h>

namespace weft::ir {

void dot_general_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<DotAttributes>();
  auto &lhs = f.operands[0], &rhs = f.operands[1], &result = f.results[0];
  for (std::size_t i = 0; i < a.lhs_batching.size(); ++i)
    result[i] = lhs[a.lhs_batching[i]] = rhs[a.rhs_batching[i]] = {f.add(node.type().dim(static_cast<int>(i)))};
  for (std::size_t i = 0; i < a.lhs_contracting.size(); ++i) {
    const Dim size = node.operand(0).type().dims()[a.lhs_contracting[i]];
    lhs[a.lhs_contracting[i]] = rhs[a.rhs_contracting[i]] = {f.add(size, Factor::Kind::reduced)};
  }
  std::size_t at = a.lhs_batching.size();
  for (auto* operand : {&lhs, &rhs})
    for (DimFactors& dim : *operand)
      if (dim.empty()) {
        result[at] = dim = {f.add(node.type().dims()[at])};
        ++at;
      }
}

// Groups tie features together in ways that no letters express; then only the batch, and the features summed over, can be split.
void convolution_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<ConvolutionAttributes>();
  auto &x = f.operands[0], &kernel = f.operands[1], &result = f.results[0];
  const Type input = node.operand(0).type(), output = node.type();
  if (a.batch_groups == 1) x[a.input_batch] = result[a.output_batch] = {f.add(output.dims()[a.output_batch])};
  if (a.feature_groups == 1)
    x[a.input_feature] = kernel[a.kernel_input_feature] = {f.add(input.dims()[a.input_feature], Factor::Kind::reduced)};
  if (a.feature_groups == 1 && a.batch_groups == 1)
    kernel[a.kernel_output_feature] = result[a.output_feature] = {f.add(output.dims()[a.output_feature])};
  for (int i = 0; i < std::ssize(a.input_spatial); ++i) {
    DimFactors &in = x[a.input_spatial[i]], &of_kernel = kernel[a.kernel_spatial[i]],
               &out = result[a.output_spatial[i]];
    const Dim base = input.dims()[a.input_spatial[i]], size = node.operand(1).type().dims()[a.kernel_spatial[i]],
              positions = output.dims()[a.output_spatial[i]];
    if (!size.is_constant()) continue;
    const WindowDim window = window_dim(a, i, size.value());
    if (window.is_trivial()) {
      in = out = {f.add(positions)};
      continue;
    }
    if (!base.is_constant() || !positions.is_constant()) continue;
    // Shards of the result need the same shards of the input, and some of their neighbours. In the gradient of a kernel, the windows are
    // as large as an image; then each device sums over the part of the window that lies over its part of the input.
    const bool passes = base.value() * window.base_dilation == positions.value() * window.stride;
    const bool is_summed = base.value() * window.base_dilation == size.value() * window.dilation && !window.reversed;
    const std::int64_t needed = (positions.value() - 1) * window.stride + window.dilated_size();
    std::optional<Halo> halo = passes || is_summed ? halo_of(window, base.value(), needed) : std::nullopt;
    if (!halo) continue;
    const Factor::Kind kind = passes ? Factor::Kind::pass : Factor::Kind::reduced;
    halo->dim = static_cast<int>(a.input_spatial[i]);
    halo->factor = f.add(std::gcd(base.value(), passes ? positions.value() : size.value()), kind);
    in = (passes ? out : of_kernel) = {halo->factor};
    f.halos.push_back(*halo);
  }
}

std::vector<Value> convolution_local(const LocalCall& call) {
  const auto& a = call.node.attributes<ConvolutionAttributes>();
  std::vector<Value> results = append_smaller(call, call.operands);
  Node& local = *results.front().node;
  std::vector<std::int64_t> padding(a.padding.begin(), a.padding.end());
  if (padding.empty()) return results;  // then no window reaches beyond a part
  for (int i = 0; i < std::ssize(a.input_spatial); ++i) {
    const int dim = static_cast<int>(a.input_spatial[i]);
    const Halo* halo = split_halo(call, dim);
    if (!halo) continue;
    const WindowDim window =
        window_dim(a, i, call.operands[1].size(static_cast<int>(a.kernel_spatial[i])));  // the device's part of it
    const std::int64_t positions = call.types[0].size(static_cast<int>(a.output_spatial[i]));
    const std::int64_t needed = (positions - 1) * window.stride + window.dilated_size();
    std::tie(padding[2 * i], padding[2 * i + 1]) = padding_of_part(window, *halo, call.operands[0].size(dim), needed);
  }
  set_attribute_sizes(local, padding);
  return results;
}

Linearity contraction_linearity(const Node& node, int) {
  const bool widens_integers =
      contains(integers, node.type().dtype()) && node.operand(0).dtype() != node.type().dtype();
  return widens_integers ? Linearity::none : Linearity::alone;
}

}  // namespace weft::ir
