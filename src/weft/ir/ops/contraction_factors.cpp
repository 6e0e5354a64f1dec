// Factor rules of contractions: ab,cb->ac (b summed).
#include <algorithm>

#include <weft/ir/factors.h>
#include <weft/ir/ops/contraction.h>
#include <weft/ir/ops/window.h>

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
  for (std::size_t i = 0; i < a.input_spatial.size(); ++i) {
    const Dim size = node.operand(1).type().dims()[a.kernel_spatial[i]];
    if (!size.is_constant() || !window_dim(a, static_cast<int>(i), size.value()).is_trivial()) continue;
    x[a.input_spatial[i]] = result[a.output_spatial[i]] = {f.add(output.dims()[a.output_spatial[i]])};
  }
}

Linearity contraction_linearity(const Node& node, int) {
  const bool widens_integers =
      contains(integers, node.type().dtype()) && node.operand(0).dtype() != node.type().dtype();
  return widens_integers ? Linearity::none : Linearity::alone;
}

}  // namespace weft::ir
