// Gradients of shape ops.
#include <algorithm>
#include <ranges>

#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

// The gradient is the sum over the added and the stretched dimensions.
void broadcast_in_dim_gradient(const GradientCall& c) {
  const Ints dimensions = c.node.attributes<BroadcastAttributes>().dimensions;
  const Type from = c.x().type(), to = c.y().type();
  std::array<int, Type::max_rank> origin;
  origin.fill(-1);
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (from.dims()[i] == to.dim(dimensions[i])) origin[dimensions[i]] = i;
  std::vector<std::int64_t> summed, kept;  // kept: operand dimensions, in the order in which the result has them
  for (int d = 0; d < to.rank(); ++d) {
    const int i = origin[d];
    if (i < 0)
      summed.push_back(d);
    else
      kept.push_back(i);
  }
  // Brings the kept dimensions into the operand's order, then restores the dimensions of size 1.
  std::vector<std::int64_t> order = dimension_range(0, kept.size());
  std::ranges::sort(order, {}, [&](std::int64_t i) { return kept[i]; });
  c.add(0, reshape(transpose(reduce_sum(c.dy(), summed), order), from.dims()));
}

void reshape_gradient(const GradientCall& c) { c.add(0, reshape(c.dy(), c.x().type().dims())); }

void transpose_gradient(const GradientCall& c) {
  const Ints permutation = c.node.attributes<TransposeAttributes>().permutation;
  c.add(0, transpose(c.dy(), inverse_permutation(permutation)));
}

void slice_gradient(const GradientCall& c) {
  const auto& [start, limit, strides] = c.node.attributes<SliceAttributes>();
  const auto is_cut = [&](int d) { return c.dy().size(d) != c.x().size(d); };
  const auto dims = std::views::iota(0, c.x().rank());
  if (std::ranges::count_if(dims, is_cut) == 1 && std::ranges::count(strides, 1) == c.x().rank()) {
    const int dim = *std::ranges::find_if(dims, is_cut);
    return c.add({.operand = 0, .cotangent = c.dy(), .dim = dim, .start = start[dim]});
  }
  std::vector<std::int64_t> high(start.size()), interior(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const std::int64_t taken = c.dy().size(i);
    interior[i] = strides[i] - 1;
    high[i] = c.x().size(i) - start[i] - (taken == 0 ? 0 : (taken - 1) * strides[i] + 1);
  }
  c.add(0, pad(c.dy(), scalar_like(c.dy(), 0), start, high, interior));
}

// Undoes the edge padding with padding of the opposite sign, then takes every (interior+1)-th element.
void pad_gradient(const GradientCall& c) {
  const auto& [low, high, interior] = c.node.attributes<PadAttributes>();
  const std::size_t rank = low.size();
  std::vector<std::int64_t> minus_low(rank), minus_high(rank), none(rank), strides(rank), limit(rank);
  bool spread = false;
  for (std::size_t i = 0; i < rank; ++i) {
    minus_low[i] = -low[i];
    minus_high[i] = -high[i];
    strides[i] = interior[i] + 1;
    spread = spread || interior[i] > 0;
  }
  Value dx = zeros_like(c.x());
  if (!is_empty(c.x().type())) {
    dx = pad(c.dy(), scalar_like(c.dy(), 0), minus_low, minus_high, none);
    if (spread) {
      for (std::size_t i = 0; i < rank; ++i) limit[i] = dx.size(i);
      dx = slice(dx, none, limit, strides);
    }
  }
  c.add(0, dx);
  if (!c.needs(1)) return;
  const Value everywhere = reduce_sum(c.dy(), all_dimensions(c.dy()));
  c.add(1, everywhere - reduce_sum(dx, all_dimensions(dx)));
}

void concatenate_gradient(const GradientCall& c) {
  const std::size_t dimension = c.node.attributes<ConcatenateAttributes>().dimension;
  const std::size_t rank = c.dy().rank();
  std::vector<std::int64_t> start(rank), limit(rank), strides(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) limit[i] = c.dy().size(i);
  limit[dimension] = 0;
  for (std::size_t i = 0; i < c.node.operands.size(); ++i) {
    start[dimension] = limit[dimension];
    limit[dimension] += c.node.operands[i].size(dimension);
    if (c.needs(i)) c.add(i, slice(c.dy(), start, limit, strides));
  }
}

void reverse_gradient(const GradientCall& c) {
  c.add(0, reverse(c.dy(), c.node.attributes<DimensionsAttributes>().dimensions));
}

}  // namespace weft::ir
