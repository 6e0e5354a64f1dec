#include <cmath>
#include <limits>

#include <weft/ir/composites.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/matmul.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

Value masked(Value scores, Value seen) {
  return ir::select(seen, scores, ir::constant_like(scores, -std::numeric_limits<double>::infinity()));
}

// Query i sees key j if j - i <= keys - queries. The difference is added even if it is 0, so that graphs that differ
// only in sizes share a program.
Value causal(Value scores) {
  const Type places = scores.type().with(DType::i32);
  const int rank = scores.rank();
  const Value query = ir::iota(scores.graph(), places, rank - 2), key = ir::iota(scores.graph(), places, rank - 1);
  const double surplus = scores.size(rank - 1) - scores.size(rank - 2);
  return masked(scores, ir::compare(key, query + surplus, Direction::LE));
}

Value with_mask(Frame& frame, Value scores, const Tensor& mask) {
  const Value given = frame.value(mask);
  Shape shape;
  frame.require(
      broadcast_shapes(scores.type().dims(), given.type().dims(), shape) && shape == Shape(scores.type().dims()),
      "the mask ", given.type(), " does not broadcast to ", scores.type());
  if (given.dtype() == DType::boolean) return masked(scores, detail::broadcast(given, shape));
  return scores + detail::broadcast(detail::as(given, scores.dtype()), shape);
}

Value swap_last(Value x) {
  Axes order;
  for (int i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order[x.rank() - 2], order[x.rank() - 1]);
  return ir::transpose(x, order);
}

Value rows(Value x, std::int64_t first, std::int64_t last) {
  Axes start, stop, step;
  for (int i = 0; i < x.rank(); ++i) {
    start.push_back(i == x.rank() - 2 ? first : 0);
    stop.push_back(i == x.rank() - 2 ? last : x.size(i));
    step.push_back(1);
  }
  return ir::slice(x, start, stop, step);
}

// The number of queries in one block of causal attention: small enough to waste little work on masked keys, large
// enough for efficient products.
constexpr std::int64_t block_rows = 128, most_blocks = 8;

std::int64_t rows_of_block(std::int64_t queries) {
  return std::max(block_rows, (queries + most_blocks - 1) / most_blocks);
}

}  // namespace

Tensor scaled_dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                                    const AttentionOptions& options) {
  Frame frame("scaled_dot_product_attention", query);
  const auto operand = [&](const Operand& x) {
    const Value given = detail::floating(frame, x);
    return detail::as(given, detail::contracted_dtype(given.dtype()));
  };
  const Value q = operand(query), k = operand(key), v = operand(value);
  frame.require(q.dtype() == k.dtype() && k.dtype() == v.dtype(), "query, key and value differ in type: ", q.type(),
                ", ", k.type(), ", ", v.type());
  const bool fits = q.rank() >= 2 && q.rank() == k.rank() && k.rank() == v.rank();
  const Value keys = fits ? swap_last(k) : k;
  frame.require(fits && detail::can_matmul(q.type(), keys.type()), "the keys ", k.type(), " do not fit the queries ",
                q.type());
  frame.require(v.size(v.rank() - 2) == k.size(k.rank() - 2), "the values ", v.type(), " do not fit the keys ",
                k.type());
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(q.rank() - 1))));
  const std::int64_t queries = q.size(q.rank() - 2), unseen = k.size(k.rank() - 2) - queries,
                     block = rows_of_block(queries);
  const bool may_see_nothing = options.mask.defined() || (options.causal && unseen < 0);
  const auto attend = [&](Value from, Value keys_seen, Value values_seen) {
    Value scores = detail::matmul(from, swap_last(keys_seen));
    scores = detail::as(scores, detail::compute_dtype(scores.dtype())) * scale;
    if (options.causal) scores = causal(scores);
    if (options.mask.defined()) scores = with_mask(frame, scores, options.mask);
    const Value weights = detail::as(may_see_nothing ? ir::safe_softmax(scores) : ir::softmax(scores), v.dtype());
    frame.require(detail::can_matmul(weights.type(), values_seen.type()), "the values ", v.type(),
                  " do not fit the keys ", k.type());
    return detail::matmul(weights, values_seen);
  };
  const bool in_blocks = device().id().memory_space().is_host_visible();  // a GPU prefers few large products
  if (!in_blocks || !options.causal || options.mask.defined() || unseen < 0 || queries <= block)
    return frame.tensor(attend(q, k, v));
  // Computes only the blocks that the mask leaves visible; of the masked part, only the triangles on the diagonal are
  // computed.
  std::vector<Value> parts;
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t last = std::min(first + block, queries);
    parts.push_back(attend(rows(q, first, last), rows(k, 0, last + unseen), rows(v, 0, last + unseen)));
  }
  return frame.tensor(ir::concatenate(parts, q.rank() - 2));
}

}  // namespace weft
