// Batching rules of contractions. If one operand alone is batched, the examples become rows, or columns, of one larger product.
#include <algorithm>
#include <numeric>

#include <weft/ir/builder.h>
#include <weft/ir/ops/batch_dims.h>
#include <weft/ir/ops/contraction.h>

namespace weft::ir {

std::vector<Batched> batch_dot_general(const BatchCall& c) {
  const auto& a = c.attributes<DotAttributes>();
  const bool left = c.is_batched(0), right = c.is_batched(1);
  const auto moved = [](Ints dims, bool is_batched) { return is_batched ? shifted(dims) : prepended(0, dims); };
  Int64s lhs_batching = moved(a.lhs_batching, left), rhs_batching = moved(a.rhs_batching, right),
         lhs_contracting = moved(a.lhs_contracting, left), rhs_contracting = moved(a.rhs_contracting, right);
  if (!left) {
    lhs_batching.erase(lhs_batching.begin());
    lhs_contracting.erase(lhs_contracting.begin());
  }
  if (!right) {
    rhs_batching.erase(rhs_batching.begin());
    rhs_contracting.erase(rhs_contracting.begin());
  }
  const DType dtype = c.node.type().dtype();
  if (left && right) {
    lhs_batching.insert(lhs_batching.begin(), 0);
    rhs_batching.insert(rhs_batching.begin(), 0);
    return {dot_general(c.x(0), c.x(1), {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting}, dtype)};
  }
  const int batching = static_cast<int>(lhs_batching.size());
  if (left) {
    const Value product =
        dot_general(c.x(0), c.x(1), {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting}, dtype);
    return {move_dim(product, batching, 0)};
  }
  // With the operands exchanged, the batch comes before what is left of each operand: no transpose is needed if one of them is a vector.
  const Value product =
      dot_general(c.x(1), c.x(0), {rhs_batching, lhs_batching, rhs_contracting, lhs_contracting}, dtype);
  const int of_right = c.node.operand(1).rank() - batching - static_cast<int>(rhs_contracting.size());
  Int64s order(product.rank());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + batching, order.begin() + batching + 1);
  std::rotate(order.begin() + batching + 1, order.begin() + batching + 1 + of_right, order.end());
  return {transpose(product, order)};
}

// The examples of x join its batch, those of the kernel its output features. If both are batched, each example is a group of features.
std::vector<Batched> batch_convolution(const BatchCall& c) {
  ConvolutionAttributes a = c.attributes<ConvolutionAttributes>();
  const bool both = c.is_batched(0) && c.is_batched(1);
  if (both && a.batch_groups != 1) return batch_by_loop(c);
  const std::int64_t groups = std::max(a.feature_groups, a.batch_groups), batch = c.size();
  if (both) {
    a.feature_groups *= batch;
    const Value y = convolution(fold_batch(c.x(0), a.input_feature), fold_batch(c.x(1), a.kernel_output_feature), a);
    return {unfold_batch(y, a.output_feature, batch)};
  }
  if (c.is_batched(0)) {
    const Value y = convolution(fold_batch(c.x(0), a.input_batch, a.batch_groups), c.x(1), a);
    return {unfold_batch(y, a.output_batch, batch)};
  }
  const Value y = convolution(c.x(0), fold_batch(c.x(1), a.kernel_output_feature, groups), a);
  return {unfold_batch(y, a.output_feature, batch, groups)};
}

}  // namespace weft::ir
