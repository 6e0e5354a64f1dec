// Gradients of reductions.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <weft/ir/ops.h>
#include <weft/ir/ops/gradients.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

// Broadcasts `y`, a result of the reduction of `x`, to every element of `x` that contributed to it.
Value spread(Value y, Value x, Ints reduced) {
  DimSet set = 0;
  for (const std::int64_t d : reduced) set |= DimSet{1} << d;
  std::vector<std::int64_t> kept;
  for (int d = 0; d < x.rank(); ++d)
    if (!has(set, d)) kept.push_back(d);
  return broadcast_in_dim(y, x.type(), kept);
}

// The cotangent is shared evenly by the elements that equal the extremum.
Value extremum_cotangent(const GradientCall& c, Ints reduced) {
  const Value x = c.x(0), reached = compare(x, spread(c.y(), x, reduced), Direction::EQ);
  const Value count = reduce_sum(convert(reached, x.dtype()), reduced);
  return select(reached, spread(c.dy() / count, x, reduced), zeros_like(x));
}

// Each element gets the product of the others: y / x if there are no zeros, the product of the rest if it is the only zero,
// otherwise 0. At zeros, this is differentiable only once.
Value divided_product_cotangent(const GradientCall& c, Ints reduced) {
  const Value x = c.x(0), zeros = zeros_like(x), ones = constant_like(x, 1);
  const Value is_zero = compare(x, zeros, Direction::EQ), rest = select(is_zero, ones, x);
  const Value count = spread(reduce_sum(convert(is_zero, x.dtype()), reduced), x, reduced);
  const Value of_rest = spread(reduce_product(rest, reduced) * c.dy(), x, reduced);
  const Value lone_zero = and_(is_zero, compare(count, ones, Direction::EQ));
  const Value counts = or_(lone_zero, compare(count, zeros, Direction::EQ));
  return select(counts, of_rest / rest, zeros);
}

// Each element gets the product of the others, which a binary tree of products computes without a division. So it is exact at zeros, and
// can be differentiated any number of times.
Value product_cotangent(const GradientCall& c, Ints reduced) {
  const Value x = c.x(0);
  std::vector<std::int64_t> order, kept;  // dimensions: the kept ones, then the reduced ones
  std::int64_t count = 1;
  for (int d = 0; d < x.rank(); ++d) {
    if (!x.type().dim(d).is_constant()) return divided_product_cotangent(c, reduced);
    if (std::ranges::find(reduced, d) == reduced.end()) {
      order.push_back(d);
      kept.push_back(x.size(d));
    }
  }
  for (const std::int64_t d : reduced) {
    order.push_back(d);
    count *= x.size(d);
  }
  if (x.type().elements() == 0) return zeros_like(x);
  const auto with = [&](std::initializer_list<std::int64_t> sizes) {
    std::vector<Dim> dims(kept.begin(), kept.end());
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    return dims;
  };
  const Value moved = transpose(x, order);
  const std::int64_t all = std::bit_ceil(static_cast<std::uint64_t>(count));
  std::vector<std::int64_t> low(kept.size() + 1), high(kept.size() + 1);
  high.back() = all - count;
  // For each level of the tree: the left and the right factors of its products.
  std::vector<std::pair<Value, Value>> levels;
  Value level = pad(reshape(moved, with({count})), constant(x.graph(), Type(x.dtype(), {}), 1), low, high, low);
  const auto half = [&](Value pairs, std::int64_t which, std::int64_t size) {
    std::vector<std::int64_t> start(kept.size() + 2), limit(kept), strides(kept.size() + 2, 1);
    limit.insert(limit.end(), {size, which + 1});
    start.back() = which;
    return reshape(slice(pairs, start, limit, strides), with({size}));
  };
  for (std::int64_t size = all / 2; size >= 1; size /= 2) {
    const Value pairs = reshape(level, with({size, 2}));
    levels.emplace_back(half(pairs, 0, size), half(pairs, 1, size));
    level = levels.back().first * levels.back().second;
  }
  Value cotangent = reshape(c.dy(), with({1}));
  for (std::int64_t size = 1; !levels.empty(); size *= 2) {
    const auto [left, right] = levels.back();
    levels.pop_back();
    const Value parts[] = {reshape(cotangent * right, with({size, 1})), reshape(cotangent * left, with({size, 1}))};
    cotangent = reshape(concatenate(parts, std::ssize(kept) + 1), with({2 * size}));
  }
  std::vector<std::int64_t> start(kept.size() + 1), limit(kept), strides(kept.size() + 1, 1), back(order.size());
  limit.push_back(count);
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<std::int64_t>(i);
  return transpose(reshape(slice(cotangent, start, limit, strides), moved.type().dims()), back);
}

// Returns the op that is the body of a one-operand reduction.
const Op* body_op(const Node& node) { return node.operands.size() == 2 ? reduction_op(*node.regions[0]) : nullptr; }

// Initial values are assumed to be constants, which they usually are; only the initial value of a sum may need a cotangent.
void require_constant_initial_value(const GradientCall& c) {
  if (c.needs(1)) fail("grad: ", c.node.op->name, " has no gradient with respect to its initial value");
}

// The window that slides over the cotangent, so that each element gathers from the results to which it contributed.
struct TransposedWindow {
  std::vector<std::int64_t> strides, base_dilations, padding;

  TransposedWindow(const ReduceWindowAttributes& window, Type x, Type y) {
    for (int d = 0; d < x.rank(); ++d) {
      const WindowDim w = window_dim(window, d);
      strides.push_back(w.base_dilation);
      base_dilations.push_back(w.stride);
      if (w.is_trivial()) {
        padding.insert(padding.end(), 2, 0);
        continue;
      }
      const WindowDim over_y{.base_dilation = w.stride};
      const std::int64_t low = w.dilated_size() - 1 - w.low;
      padding.push_back(low);
      padding.push_back(w.dilated_base(x.size(d)) + w.dilated_size() - 1 - over_y.dilated_base(y.size(d)) - low);
    }
  }
};

Value window_sum_cotangent(const GradientCall& c, const ReduceWindowAttributes& window) {
  const TransposedWindow t(window, c.x().type(), c.y().type());
  const Value zero = scalar_like(c.dy(), 0);
  return reduce_window(c.dy(), zero,
                       {window.window_dimensions, t.strides, t.base_dilations, window.window_dilations, t.padding},
                       reduction_body(ops::add, c.dy().dtype()));
}

// The cotangent goes to the first element that equals the extremum.
Value window_extremum_cotangent(const GradientCall& c, const ReduceWindowAttributes& window, Direction direction) {
  const Value x = c.x(0);
  for (int d = 0; d < x.rank(); ++d)
    if (window_dim(window, d).base_dilation != 1 || window_dim(window, d).dilation != 1)
      fail("grad: reduce_window of a maximum or minimum has no gradient with dilations");
  const Value zero = scalar_like(x, 0);
  return select_and_scatter(x, c.dy(), zero, {window.window_dimensions, window.window_strides, window.padding},
                            comparison_body(direction, x.dtype()), reduction_body(ops::add, x.dtype()));
}

}  // namespace

void reduce_gradient(const GradientCall& c) {
  const Op* op = body_op(c.node);
  const Ints reduced = c.node.attributes<DimensionsAttributes>().dimensions;
  if (op == &ops::add) {
    if (c.needs(0)) c.add(0, spread(c.dy(), c.x(0), reduced));
    if (c.needs(1)) c.add(1, reduce_sum(c.dy(), all_dimensions(c.dy())));
    return;
  }
  require_constant_initial_value(c);
  if (op == &ops::maximum || op == &ops::minimum) return c.add(0, extremum_cotangent(c, reduced));
  if (op == &ops::multiply) return c.add(0, product_cotangent(c, reduced));
  fail("grad: reduce has a gradient for one operand and a body that is add, maximum, minimum or multiply");
}

void reduce_window_gradient(const GradientCall& c) {
  const Op* op = body_op(c.node);
  const auto& window = c.node.attributes<ReduceWindowAttributes>();
  require_constant_initial_value(c);
  if (op == &ops::add) return c.add(0, window_sum_cotangent(c, window));
  if (op == &ops::maximum) return c.add(0, window_extremum_cotangent(c, window, Direction::GE));
  if (op == &ops::minimum) return c.add(0, window_extremum_cotangent(c, window, Direction::LE));
  fail("grad: reduce_window has a gradient for one operand and a body that is add, maximum or minimum");
}

}  // namespace weft::ir
