#include <cmath>
#include <limits>
#include <optional>

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
  bool
      has_blocks;  // whether many queries are computed block by block; their number then decides which operations there are
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
    if (!has_blocks || has_mask || unseen < 0 || queries <= block) {
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
void check(Frame& frame, Value q, Value k, Value v, Value mask) {
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
  if (mask) {
    Shape shape;
    frame.require(broadcast_shapes(scores, mask.type().dims(), shape) && shape == scores, "the mask ", mask.type(),
                  " does not broadcast to ", Type(detail::compute_dtype(q.dtype()), scores));
  }
  Shape all;
  frame.require(broadcast_shapes(batch, v.type().dims().first(rows), all), "the values ", v.type(),
                " do not fit the keys ", k.type());
}

// The operands of attention whose queries have several heads for each head of the keys, arranged so that all have the same heads.
struct Groups {
  std::int64_t of_head = 1;  // query heads for each key head
  bool as_rows = false;      // whether the queries of a group lie one after the other, as those of one head

  Groups(Frame& frame, Value q, Value k, Value v, bool causal, bool has_mask) {
    const int at = q.rank() - 3;
    frame.require(at >= 0 && k.rank() == q.rank() && v.rank() == q.rank(),
                  "enable_gqa: expected [..., heads, time, width], got ", q.type(), ", ", k.type(), ", ", v.type());
    frame.require(k.size(at) > 0 && q.size(at) % k.size(at) == 0 && k.size(at) == v.size(at), "the ", q.size(at),
                  " heads of the queries are not a multiple of the ", k.size(at), " heads of the keys and the ",
                  v.size(at), " of the values");
    of_head = q.size(at) / k.size(at);
    as_rows = !has_mask && (!causal || q.size(at + 1) == 1);
  }

  Value queries(Value q) const {
    if (!as_rows) return q;
    Shape shape(q.type().dims().first(q.rank() - 3));
    shape.push_back(floor_divide(q.type().dim(q.rank() - 3), of_head));
    shape.push_back(q.type().dim(q.rank() - 2) * Dim(of_head));
    shape.push_back(q.type().dim(q.rank() - 1));
    return ir::reshape(q, shape);
  }
  // Repeats the heads, unless the queries are rows, so that queries, masks and results keep their form.
  Value keys(Value k) const {
    if (as_rows || of_head == 1) return k;
    Shape repeated(k.type().dims().first(k.rank() - 2)), heads(k.type().dims());
    Axes places;
    for (int d = 0; d < k.rank(); ++d) places.push_back(d < k.rank() - 2 ? d : d + 1);
    repeated.push_back(of_head);
    for (const Dim size : k.type().dims().last(2)) repeated.push_back(size);
    heads[k.rank() - 3] = heads[k.rank() - 3] * Dim(of_head);
    return ir::reshape(ir::broadcast_in_dim(k, Type(k.dtype(), repeated), places), heads);
  }
  // Returns the result with the shape of q [..., heads, queries, width] and the width of y.
  Value result(Value y, Value q) const {
    Shape shape(q.type().dims().first(q.rank() - 1));
    shape.push_back(y.type().dim(y.rank() - 1));
    return ir::reshape(y, shape);
  }
};

// Returns whether a kernel of attention may be given queries that were multiplied by the factor: 16-bit floats would be rounded once more.
// The factor is 0 for queries without elements, whose usual scale is infinite.
bool is_exact(DType dtype, double factor) {
  int exponent = 0;
  if (factor == 0) return false;
  return byte_size(dtype) > 2 || std::abs(std::frexp(factor, &exponent)) == 0.5;
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
  const Value given = operands[0];
  Value mask;
  if (options.mask.defined()) mask = frame.value(options.mask);
  std::optional<Groups> groups;
  if (options.enable_gqa) {
    groups.emplace(frame, given, operands[1], operands[2], options.causal, options.mask.defined());
    operands = {groups->queries(given), groups->keys(operands[1]), groups->keys(operands[2])};
  }
  const Value q = operands[0];
  check(frame, q, operands[1], operands[2], mask);
  if (mask) operands.push_back(mask);
  const double usual = 1 / std::sqrt(static_cast<double>(q.size(q.rank() - 1)));
  double scale = options.scale.value_or(usual);
  if (scale != usual && is_exact(q.dtype(), scale / usual)) {
    operands[0] = q * (scale / usual);
    scale = usual;
  }
  // A single query sees all keys.
  const bool is_causal = options.causal && !(groups && groups->as_rows);
  // A program for a mesh has no kernel of attention, because it is divided node by node.
  const bool has_blocks = is_causal && frame.recording().mesh().has_value();
  const Attention attention{.is_causal = is_causal, .has_blocks = has_blocks, .scale = scale};
  const auto finish = [&](Value y) { return frame.tensor(groups ? groups->result(y, given) : y); };
  // The slices of several blocks are no part of a composite's region when sizes become symbols: each length would be a program of its own.
  const bool stays_whole = !attention.has_blocks || q.size(q.rank() - 2) <= rows_of_block(q.size(q.rank() - 2));
  if (attention.scale != usual || !stays_whole) return finish(attention(operands)[0]);
  return finish(ir::call_composite(is_causal ? ir::causal_attention : ir::attention, operands, attention)[0]);
}

}  // namespace weft
