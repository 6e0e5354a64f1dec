#include <weft/tensor/embedding.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
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
    case IdBounds::skip: return ir::IdBounds::SKIP;
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
  const ir::EmbeddingAttributes attributes{.keys = keys,
                                           .tables = of_tables,
                                           .means = means,
                                           .bounds = bounds_of(options.bounds),
                                           .names = options.names,
                                           .unpooled = !options.pools,
                                           .counters = options.counters};
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
                                           .placed = rows.repeats,
                                           .unpooled = !options.pools};
  return frame.tensor(ir::embedding_bag(std::array{table}, {ids, ends, weights, frame.value(rows.pieces)}, attributes));
}

namespace {

// Returns the ends of bags with one id each.
Tensor ends_of_single_ids(Frame& frame, Dim keys, Dim batch) {
  const Value numbers = ir::iota(frame.graph(), Type(DType::i64, {keys * batch}), 0);
  return frame.tensor(ir::reshape(numbers + ir::constant_like(numbers, 1), {keys, batch}));
}

}  // namespace

Tensor places_of_ids(const Tensor& ids, std::source_location where) {
  Frame frame("places_of_ids", where);
  const Type type = frame.value(ids).type();
  frame.require(type.rank() > 0, "expected ids [n] or [blocks, n], got ", type);
  return frame.tensor(ir::iota(frame.graph(), type.with(DType::i64), type.rank() - 1));
}

Tensor take_rows(std::span<const Tensor> tables, const Tensor& ids, std::span<const PooledKey> keys,
                 const LookupOptions& options, std::source_location where) {
  Frame frame("take_rows", where);
  const Value places = frame.value(ids);
  frame.require(places.rank() == 2, "ids must be [keys, batch], got ", places.type());
  const Dim count = places.type().dim(0), batch = places.type().dim(1);
  const Bags bags{.ids = frame.tensor(ir::reshape(places, {count * batch})),
                  .ends = ends_of_single_ids(frame, count, batch)};
  return embedding_bag(tables, bags, keys, options, where);
}

Tensor padded_rows(const Tensor& values, const Tensor& begins, const Tensor& lengths, std::int64_t most,
                   std::source_location where) {
  Frame frame("padded_rows", where);
  const Value rows = frame.value(values), begin = detail::as(frame.value(begins), DType::i64),
              length = detail::as(frame.value(lengths), DType::i64);
  const Type type = rows.type(), samples = begin.type();
  frame.require(most > 0, "the number of rows must be positive, got ", most);
  frame.require(
      (type.rank() == 2 || type.rank() == 3) && is_float(type.dtype()) && samples == length.type() &&
          samples.rank() == type.rank() - 1 && (type.rank() == 2 || samples.dim(0) == type.dim(0)),
      "expected rows [n, width] with begins and lengths [samples], or [blocks, n, width] with [blocks, samples], got ",
      type, ", ", samples, " and ", length.type());
  // The place of each row of the result among the rows of its block; -1 for none.
  Shape shape(samples.dims());
  shape.push_back(most);
  const Type places(DType::i64, shape);
  std::vector<std::int64_t> across(samples.rank());
  std::iota(across.begin(), across.end(), 0);
  const Value number = ir::iota(frame.graph(), places, samples.rank());
  const Value is_row = ir::compare(number, ir::broadcast_in_dim(length, places, across), ir::Direction::LT);
  const Value place =
      ir::select(is_row, ir::broadcast_in_dim(begin, places, across) + number, ir::constant_like(number, -1));
  const LookupOptions options{.bounds = IdBounds::skip};
  const Dim width = type.dim(type.rank() - 1), of_block = samples.dim(samples.rank() - 1) * Dim(most);
  shape.push_back(width);
  if (type.rank() == 2) {
    const PooledKey only{};
    const Tensor ids = frame.tensor(ir::reshape(place, {Dim(1), of_block}));
    const Tensor taken = take_rows({&values, 1}, ids, {&only, 1}, options, where);
    return frame.tensor(ir::reshape(frame.value(taken), shape));
  }
  // Blocks are the parts of placed rows, so that devices that have them find their rows at home; each is the key of one part.
  const std::int64_t blocks = type.size(0), n = type.size(1);
  std::vector<std::int64_t> pieces;
  for (std::int64_t block = 0; block < blocks; ++block) pieces.insert(pieces.end(), {block, 0, 0, n, 0, n, 0, 0});
  const PlacedRows placed{.rows = frame.tensor(ir::reshape(rows, {Dim(blocks * n), width})),
                          .pieces = from_vector(std::move(pieces), {blocks, 1, ir::PlacedPiece::columns})};
  const Bags bags{.ids = frame.tensor(ir::reshape(place, {Dim(blocks) * of_block})),
                  .ends = ends_of_single_ids(frame, Dim(blocks), of_block)};
  const Value pooled = frame.value(embedding_bag(placed, bags, options, where));  // [rows of a block, blocks, 1, width]
  const std::int64_t by_block[] = {1, 0, 2, 3};
  return frame.tensor(ir::reshape(ir::transpose(pooled, by_block), shape));
}

}  // namespace weft
