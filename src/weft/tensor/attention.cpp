#include <cmath>
#include <limits>

#include <weft/ir/composites.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/matmul.h>
#include <weft/tensor/reducing.h>

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

Value with_mask(Value scores, Value mask) {
  const auto shape = scores.type().dims();
  if (mask.dtype() == DType::boolean) return masked(scores, detail::broadcast(mask, shape));
  return scores + detail::broadcast(detail::as(mask, scores.dtype()), shape);
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

// log(sum(exp(scores))) along the last dimension; -inf if all scores are.
Value log_sum_exp(Value scores) {
  const Axes last = scores.rank() - 1;
  const Value top = ir::reduce_max(scores, last);
  const Value hidden = ir::constant_like(top, -std::numeric_limits<double>::infinity());
  const Value offset = ir::select(ir::compare(top, hidden, Direction::EQ), ir::constant_like(top, 0), top);
  const Value exponentials = ir::exponential(scores - detail::spread(offset, scores, last));
  return offset + ir::log(ir::reduce_sum(exponentials, last));
}

// How attention is computed from q, k, v and, if there is one, a mask.
struct Attention {
  bool is_causal;
  double scale;

  // Returns the result and the log_sum_exp of the scores.
  std::vector<Value> operator()(std::span<const Value> x) const {
    const Value q = x[0], k = x[1], v = x[2];
    const bool has_mask = x.size() > 3;
    const std::int64_t queries = q.size(q.rank() - 2), unseen = k.size(k.rank() - 2) - queries,
                       block = rows_of_block(queries);
    const bool may_see_nothing = has_mask || (is_causal && unseen < 0);
    const auto attend = [&](Value from, Value keys_seen, Value values_seen) {
      Value scores = detail::matmul(from, swap_last(keys_seen));
      scores = detail::as(scores, detail::compute_dtype(scores.dtype())) * scale;
      if (is_causal) scores = causal(scores);
      if (has_mask) scores = with_mask(scores, x[3]);
      const Value weights = detail::as(may_see_nothing ? ir::safe_softmax(scores) : ir::softmax(scores), v.dtype());
      return std::pair(detail::matmul(weights, values_seen), log_sum_exp(scores));
    };
    if (!is_causal || has_mask || unseen < 0 || queries <= block) {
      const auto [y, sums] = attend(q, k, v);
      return {y, sums};
    }
    // Computes only the blocks that the mask leaves visible; of the masked part, only the triangles on the diagonal are
    // computed.
    std::vector<Value> parts, sums_of_parts;
    for (std::int64_t first = 0; first < queries; first += block) {
      const std::int64_t last = std::min(first + block, queries);
      const auto [y, sums] = attend(rows(q, first, last), rows(k, 0, last + unseen), rows(v, 0, last + unseen));
      parts.push_back(y);
      sums_of_parts.push_back(sums);
    }
    return {ir::concatenate(parts, q.rank() - 2), ir::concatenate(sums_of_parts, sums_of_parts[0].rank() - 1)};
  }
};

// Throws Error unless the operands fit together.
void check(Frame& frame, Value q, Value k, Value v, const Tensor& mask) {
  frame.require(q.dtype() == k.dtype() && k.dtype() == v.dtype(), "query, key and value differ in type: ", q.type(),
                ", ", k.type(), ", ", v.type());
  const bool fits = q.rank() >= 2 && q.rank() == k.rank() && k.rank() == v.rank();
  const int rows = q.rank() - 2;
  Shape batch, scores;
  frame.require(fits && q.size(rows + 1) == k.size(rows + 1) &&
                    broadcast_shapes(q.type().dims().first(rows), k.type().dims().first(rows), batch),
                "the keys ", k.type(), " do not fit the queries ", q.type());
  frame.require(v.size(rows) == k.size(rows), "the values ", v.type(), " do not fit the keys ", k.type());
  scores = batch;
  scores.push_back(q.type().dim(rows));
  scores.push_back(k.type().dim(rows));
  if (mask.defined()) {
    Shape shape;
    frame.require(broadcast_shapes(scores, mask.type().dims(), shape) && shape == scores, "the mask ", mask.type(),
                  " does not broadcast to ", Type(detail::compute_dtype(q.dtype()), scores));
  }
  Shape all;
  frame.require(broadcast_shapes(batch, v.type().dims().first(rows), all), "the values ", v.type(),
                " do not fit the keys ", k.type());
}

}  // namespace

Tensor scaled_dot_product_attention(const Operand& query, const Operand& key, const Operand& value,
                                    const AttentionOptions& options) {
  Frame frame("scaled_dot_product_attention", query);
  const auto operand = [&](const Operand& x) {
    const Value given = detail::floating(frame, x);
    return detail::as(given, detail::contracted_dtype(given.dtype()));
  };
  std::vector<Value> operands{operand(query), operand(key), operand(value)};
  const Value q = operands[0];
  check(frame, q, operands[1], operands[2], options.mask);
  if (options.mask.defined()) operands.push_back(frame.value(options.mask));
  const double usual = 1 / std::sqrt(static_cast<double>(q.size(q.rank() - 1)));
  const Attention attention{options.causal, options.scale.value_or(usual)};
  // The slices of several blocks are no part of a composite's region when sizes become symbols: each length would be a program of its own.
  // A GPU does not need the blocks.
  const bool has_blocks = options.causal && q.size(q.rank() - 2) > rows_of_block(q.size(q.rank() - 2));
  const bool stays_whole = !has_blocks || !device().id().memory_space().is_host_visible();
  if (attention.scale != usual || !stays_whole) return frame.tensor(attention(operands)[0]);
  return frame.tensor(
      ir::call_composite(options.causal ? ir::causal_attention : ir::attention, operands, attention)[0]);
}

}  // namespace weft
