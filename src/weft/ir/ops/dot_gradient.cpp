// The gradient of dot_general: two contractions with the cotangent.
#include <algorithm>

#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

// The dimensions of one operand by role.
struct Roles {
  Ints batching, contracting;
  Dims free;

  Roles(Ints batching_, Ints contracting_, int rank) : batching(batching_), contracting(contracting_) {
    for (std::int64_t d = 0; d < rank; ++d)
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        free.push_back(d);
  }
};

// Returns the cotangent of an operand with roles `mine`: the sum over the other operand's free dimensions, which begin at
// `dy_other` in dy; the free dimensions of `mine` begin at `dy_mine`. The result's dimensions are ordered batching, mine,
// contracting or batching, contracting, mine. If one of these is the operand's own order, it is used, so that no transpose is
// needed.
Value cotangent(Value dy, Value other, const Roles& mine, const Roles& others, std::size_t dy_other) {
  const Dims dy_batching = dimension_range(0, mine.batching.size()),
             dy_contracting = dimension_range(dy_other, others.free.size());
  // The other operand's remaining contracting dimensions appear in that operand's order.
  std::vector<std::size_t> by_position(others.contracting.size());
  for (std::size_t i = 0; i < by_position.size(); ++i) by_position[i] = i;
  std::ranges::sort(by_position, {}, [&](std::size_t i) { return others.contracting[i]; });
  Dims contracting;
  for (const std::size_t i : by_position) contracting.push_back(mine.contracting[i]);

  Dims dy_first(mine.batching.begin(), mine.batching.end()), other_first = dy_first;
  dy_first.insert(dy_first.end(), mine.free.begin(), mine.free.end());
  dy_first.insert(dy_first.end(), contracting.begin(), contracting.end());
  other_first.insert(other_first.end(), contracting.begin(), contracting.end());
  other_first.insert(other_first.end(), mine.free.begin(), mine.free.end());
  if (std::ranges::is_sorted(other_first) && !std::ranges::is_sorted(dy_first))
    return dot_general(other, dy, {others.batching, dy_batching, others.free, dy_contracting});
  return transpose(dot_general(dy, other, {dy_batching, others.batching, dy_contracting, others.free}),
                   inverse_permutation(dy_first));
}

// Returns whether the product is x x^T for each matrix x of a batch.
bool multiplies_by_its_transpose(const GradientCall& c) {
  const auto& a = c.node.attributes<DotAttributes>();
  return c.x(0) == c.x(1) && std::ranges::equal(a.lhs_batching, a.rhs_batching) &&
         std::ranges::equal(a.lhs_contracting, a.rhs_contracting);
}

// Returns dy with the free dimensions of both operands swapped.
Value with_swapped_sides(Value dy, std::size_t batch) {
  Dims order = dimension_range(0, dy.rank());
  std::rotate(order.begin() + batch, order.begin() + batch + (dy.rank() - batch) / 2, order.end());
  return transpose(dy, order);
}

}  // namespace

void dot_general_gradient(const GradientCall& c) {
  const auto& a = c.node.attributes<DotAttributes>();
  const Roles lhs(a.lhs_batching, a.lhs_contracting, c.x(0).rank()),
      rhs(a.rhs_batching, a.rhs_contracting, c.x(1).rank());
  const std::size_t lhs_free_at = lhs.batching.size(), rhs_free_at = lhs_free_at + lhs.free.size();
  if (multiplies_by_its_transpose(c)) {  // one product instead of two
    const Value both = convert(c.dy() + with_swapped_sides(c.dy(), lhs_free_at), c.x(0).dtype());
    return c.add(0, cotangent(both, c.x(1), lhs, rhs, rhs_free_at));
  }
  const Value dy = convert(c.dy(), c.x(0).dtype());
  if (c.needs(0)) c.add(0, cotangent(dy, c.x(1), lhs, rhs, rhs_free_at));
  if (c.needs(1)) c.add(1, cotangent(dy, c.x(0), rhs, lhs, lhs_free_at));
}

}  // namespace weft::ir
