#include <weft/tensor/embedding.h>

#include <algorithm>
#include <array>
#include <string>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/frame.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

ir::IdBounds bounds_of(IdBounds bounds) {
  switch (bounds) {
    case IdBounds::error: return ir::IdBounds::ERROR;
    case IdBounds::warn: return ir::IdBounds::WARN;
    case IdBounds::ignore: return ir::IdBounds::IGNORE;
  }
  __builtin_unreachable();
}

}  // namespace

Tensor embedding_bag(std::span<const Tensor> tables, const Bags& bags, std::span<const PooledKey> pooled,
                     const LookupOptions& options, std::source_location where) {
  Frame frame("embedding_bag", where);
  frame.require(!tables.empty() && !pooled.empty(), "there is nothing to look up: no table, or no key");
  std::vector<Value> values;
  for (const Tensor& table : tables) values.push_back(frame.value(table));
  const Value ids = frame.value(bags.ids), ends = frame.value(bags.ends);
  Value weights;
  if (bags.weights.defined()) weights = detail::as(frame.value(bags.weights), ir::pooled_dtype(values[0].dtype()));
  std::vector<std::int64_t> keys, of_tables, means;
  for (const PooledKey& entry : pooled) {
    keys.push_back(entry.key);
    of_tables.push_back(entry.table);
    means.push_back(entry.mean ? 1 : 0);
  }
  const ir::EmbeddingAttributes attributes{
      .keys = keys, .tables = of_tables, .means = means, .bounds = bounds_of(options.bounds), .names = options.names};
  return frame.tensor(ir::embedding_bag(values, {ids, ends, weights}, attributes));
}

Tensor embedding_bag(const PlacedRows& rows, const Bags& bags, const LookupOptions& options,
                     std::source_location where) {
  Frame frame("embedding_bag", where);
  frame.require(rows.repeats > 0, "an id is in at least one piece, repeats is ", rows.repeats);
  const Value table = frame.value(rows.rows), ids = frame.value(bags.ids), ends = frame.value(bags.ends);
  const Value weights =
      bags.weights.defined() ? detail::as(frame.value(bags.weights), ir::pooled_dtype(table.dtype())) : Value();
  const ir::EmbeddingAttributes attributes{.keys = {},
                                           .tables = {},
                                           .means = {},
                                           .bounds = bounds_of(options.bounds),
                                           .names = options.names,
                                           .placed = rows.repeats};
  return frame.tensor(ir::embedding_bag(std::array{table}, {ids, ends, weights, frame.value(rows.pieces)}, attributes));
}

}  // namespace weft
