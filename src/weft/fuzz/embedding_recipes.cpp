// Lookups in embedding tables and their updates.
#include <algorithm>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;
using ir::Op;
using ir::Value;

namespace {

// Random bags, and the entries that look them up, or the pieces of placed rows.
struct Bags {
  Value ids, ends, weights, pieces;
  std::int64_t blocks, keys, batch;  // blocks: 0 if the batch is not in blocks; batch: samples of a block
  Dims keys_of, tables, means;       // of the entries
  bool unpooled = false;

  ir::LookupValues lookup() const { return {ids, ends, weights, pieces}; }
  // Returns the sizes of the pooled rows of tables.
  Dims pooled(std::span<const Value> of) const {
    Dims dims{unpooled ? ids.size(blocks > 0 ? 1 : 0) : batch};
    if (blocks > 0) dims.insert(dims.begin(), blocks);
    if (pieces) dims.push_back(pieces.size(0));
    if (pieces && !unpooled) dims.push_back(pieces.size(1));
    if (pieces || unpooled) {
      dims.push_back(of[0].size(1));
      return dims;
    }
    std::int64_t width = 0;
    for (const std::int64_t table : tables) width += of[table].size(1);
    dims.push_back(width);
    return dims;
  }
  ir::EmbeddingAttributes attributes() const {
    return {.keys = keys_of,
            .tables = tables,
            .means = means,
            .weighted = false,
            .bounds = ir::IdBounds::IGNORE,
            .names = {},
            .placed = pieces ? pieces.size(1) : 0,
            .unpooled = unpooled};
  }
};

Value integers(Grower& g, DType dtype, const Dims& sizes, std::span<const std::int64_t> values) {
  Array array(Grower::type_of(dtype, sizes));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::i32)
      array.data<std::int32_t>()[i] = static_cast<std::int32_t>(values[i]);
    else
      array.data<std::int64_t>()[i] = values[i];
  }
  return ir::constant(g.graph(), array.literal());
}

// Returns numbers that do not decrease within a block, from 0 to `last`.
Value random_ends(Grower& g, const Bags& bags, std::int64_t last, DType dtype) {
  std::vector<std::int64_t> all;
  for (std::int64_t block = 0; block < std::max<std::int64_t>(1, bags.blocks); ++block) {
    std::vector<std::int64_t> ends(bags.keys * bags.batch);
    for (std::int64_t& end : ends) end = g.random().between(0, last);
    std::ranges::sort(ends);
    all.insert(all.end(), ends.begin(), ends.end());
  }
  Dims sizes{bags.keys, bags.batch};
  if (bags.blocks > 0) sizes.insert(sizes.begin(), bags.blocks);
  return integers(g, dtype, sizes, all);
}

// Returns pieces of tables with 1 to 2 * `rows` ids, in parts of `rows` rows.
Value random_pieces(Grower& g, std::int64_t parts, std::int64_t keys, std::int64_t rows) {
  Random& random = g.random();
  const std::int64_t slots = random.between(1, 3);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < parts * slots; ++i) {
    const std::int64_t count = random.between(0, rows), all = count + random.between(0, rows);
    numbers.insert(numbers.end(),
                   {random.between(-1, keys - 1), random.between(0, 1), random.between(0, all - count), count,
                    random.between(0, rows - count), all, random.between(0, 9), random.between(0, 3)});
  }
  return integers(g, DType::i64, Dims{parts, slots, ir::PlacedPiece::columns}, numbers);
}

// `rows` are those of each table; of placed rows, `parts` times as many.
Bags random_bags(Grower& g, std::int64_t tables, std::int64_t rows, DType pooled, std::int64_t parts = 0) {
  Random& random = g.random();
  const auto index = [&] { return random.one_in(2) ? DType::i32 : DType::i64; };
  const std::int64_t count = random.between(0, 12);
  Bags bags{.ids = {},
            .ends = {},
            .weights = {},
            .pieces = {},
            .blocks = random.one_in(3) ? random.between(1, 4) : 0,
            .keys = random.between(1, 3),
            .batch = random.between(0, 4),
            .keys_of = {},
            .tables = {},
            .means = {}};
  const Dims of_ids = bags.blocks > 0 ? Dims{bags.blocks, count} : Dims{count};
  bags.ids = g.positions(Grower::type_of(index(), of_ids), rows);
  if (random.one_in(2)) bags.weights = g.fitted(pooled, of_ids);
  bags.ends = random_ends(g, bags, count, index());
  if (parts > 0) bags.pieces = random_pieces(g, parts, bags.keys, rows);
  for (std::int64_t entries = random.between(1, 4); parts == 0 && entries > 0; --entries) {
    bags.keys_of.push_back(random.between(0, bags.keys - 1));
    bags.tables.push_back(random.between(0, tables - 1));
    bags.means.push_back(random.between(0, 1));
  }
  return bags;
}

// Makes a lookup unpooled now and then, if its tables have one width and no key has several entries.
void choose_unpooled(Grower& g, Bags& bags, std::span<const Value> tables) {
  for (const Value table : tables)
    if (table.size(1) != tables[0].size(1)) return;
  for (const std::int64_t key : bags.keys_of)
    if (std::ranges::count(bags.keys_of, key) > 1) return;
  bags.unpooled = g.random().one_in(2);
}

Value random_table(Grower& g, DType dtype, std::int64_t rows) {
  return g.fitted(dtype, Dims{rows, g.random().between(1, 5)});
}

// Returns in how many parts rows are placed; mostly 0, not at all.
std::int64_t random_parts(Grower& g) { return g.random().one_in(3) ? g.random().between(1, 4) : 0; }

void grow_embedding_bag(Grower& g, const Op& op) {
  const DType dtype = g.random_dtype(op.domain);
  const std::int64_t rows = g.random().between(1, 6), parts = random_parts(g);
  std::vector<Value> tables{random_table(g, dtype, rows * std::max<std::int64_t>(1, parts))};
  while (parts == 0 && g.random().one_in(2)) tables.push_back(random_table(g, dtype, rows));
  Bags bags = random_bags(g, std::ssize(tables), rows, ir::pooled_dtype(dtype), parts);
  choose_unpooled(g, bags, tables);
  g.add(ir::embedding_bag(tables, bags.lookup(), bags.attributes()));
}

void grow_embedding_bag_gradient(Grower& g, const Op& op) {
  const DType dtype = g.random_dtype(op.domain), pooled = ir::pooled_dtype(dtype);
  const std::int64_t rows = g.random().between(1, 6), parts = random_parts(g);
  const std::vector tables{random_table(g, dtype, rows * std::max<std::int64_t>(1, parts))};
  Bags bags = random_bags(g, 1, rows, pooled, parts);
  choose_unpooled(g, bags, tables);
  const Value cotangent = g.fitted(pooled, bags.pooled(tables));
  const std::array types{tables[0].type()};
  g.add(ir::embedding_bag_gradient(cotangent, bags.lookup(), types, bags.attributes()));
}

void grow_embedding_weights_gradient(Grower& g, const Op& op) {
  const DType dtype = g.random_dtype(op.domain);
  const std::int64_t rows = g.random().between(1, 6), parts = random_parts(g);
  std::vector tables{random_table(g, dtype, rows * std::max<std::int64_t>(1, parts))};
  if (parts == 0) tables.push_back(random_table(g, dtype, rows));
  Bags bags = random_bags(g, std::ssize(tables), rows, ir::pooled_dtype(dtype), parts);
  choose_unpooled(g, bags, tables);
  const Value cotangent = g.fitted(ir::pooled_dtype(dtype), bags.pooled(tables));
  g.add(ir::embedding_weights_gradient(tables, cotangent, bags.lookup(), bags.attributes()));
}

// A step of momentum: state' = rate * state + gradient, value' = value - state'.
void grow_embedding_update(Grower& g, const Op& op) {
  const DType dtype = g.random().one_in(2) ? DType::f32 : g.random_dtype(op.domain), pooled = ir::pooled_dtype(dtype);
  const std::int64_t rows = g.random().between(1, 6), parts = random_parts(g);
  const std::vector tables{random_table(g, dtype, rows * std::max<std::int64_t>(1, parts))};
  Bags bags = random_bags(g, 1, rows, pooled, parts);
  choose_unpooled(g, bags, tables);
  const bool random = g.random().one_in(3);
  Dims columns, lookups(bags.tables.size(), 0), weighted{bags.weights ? 1 : 0}, bodies{0},
      placed{bags.attributes().placed}, placed_tables{0}, unpooled{bags.unpooled ? 1 : 0}, counters;
  if (random) counters = {g.random().between(0, 5), 2};
  const bool row_counters = random && g.random().one_in(2);
  for (std::size_t i = 0; i < bags.tables.size(); ++i)
    columns.push_back(bags.unpooled ? 0 : static_cast<std::int64_t>(i) * tables[0].size(1));
  const ir::EmbeddingUpdateAttributes attributes{.lookups = lookups,
                                                 .keys = bags.keys_of,
                                                 .columns = columns,
                                                 .tables = bags.tables,
                                                 .means = bags.means,
                                                 .weighted = weighted,
                                                 .bodies = bodies,
                                                 .states = 1,
                                                 .bounds = ir::IdBounds::IGNORE,
                                                 .names = {},
                                                 .placed = placed,
                                                 .placed_tables = placed_tables,
                                                 .unpooled = unpooled,
                                                 .counters = counters,
                                                 .row_counters = row_counters};
  std::vector<Value> operands{tables[0], g.fitted(tables[0].type().with(pooled)), g.fitted(pooled, bags.pooled(tables)),
                              bags.ids, bags.ends};
  if (bags.weights) operands.push_back(bags.weights);
  if (bags.pieces) operands.push_back(bags.pieces);
  if (random) operands.push_back(ir::constant(g.graph(), Type(DType::u64, {}), g.random().between(0, 9)));
  if (row_counters) {
    const Value number = ir::iota(g.graph(), Type(DType::i64, {tables[0].size(0)}), 0);
    operands.push_back(number * number);
  }
  operands.push_back(g.fitted(pooled, Dims{}));
  const Type row = ir::row_type(tables[0].type());
  std::vector<Type> inputs{row, row.with(pooled), row.with(pooled)};
  if (random) inputs.push_back(row.with(DType::u32));
  inputs.emplace_back(pooled, std::span<const Dim>());
  const auto body = ir::make_graph(inputs, [&](auto&, auto x) {
    Value state = ir::broadcast(x.back(), row.with(pooled)) * x[2] + x[1];
    if (random) state = state + ir::convert(ir::shift_right_logical(x[3], ir::constant_like(x[3], 30)), pooled);
    return std::vector{ir::convert(ir::convert(x[0], pooled) - state, dtype), state};
  });
  ir::Node& update = g.graph().append(op, operands, &attributes, {}, std::array{body});
  g.add(std::vector{update.result(0), update.result(1)});
}

// Bounds of sums of products: evaluates the op on magnitudes. Ids and ends, the integers, must be exact.
std::vector<Array> lookup_bounds(const BoundedCall& call) {
  if (call.results.size() != 1) return same_bounds(call, infinity);
  std::vector<Array> most, now;
  double terms = 2;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const Bounded& operand = call[i];
    if (!is_float(operand.value.dtype())) {
      if (!operand.is_exact()) return same_bounds(call, infinity);
      most.push_back(operand.value);
      now.push_back(operand.value);
      terms += static_cast<double>(operand.value.size());
      continue;
    }
    const Array values = magnitudes(operand.value);
    if (!operand.is_known() || !std::ranges::all_of(values_of(values), [](double x) { return std::isfinite(x); }))
      return same_bounds(call, infinity);
    terms += operand.value.type().rank() == 2 ? static_cast<double>(operand.value.type().size(1))
                                              : 0;  // of a product of rows
    now.push_back(values);
    most.push_back(
        doubles(operand.value.type(), [&](std::int64_t i_) { return values.element(i_) + operand.bound.element(i_); }));
  }
  const Array largest = evaluate_as_doubles(call.node, most), exact = evaluate_as_doubles(call.node, now);
  const Array& result = call.results[0];
  const double eps = std::min(epsilon(result.dtype()), epsilon(DType::f32));
  return {doubles(result.type(), [&](std::int64_t i) {
    const double all = largest.element(i);
    if (!(all <= largest_finite(result.dtype()))) return infinity;
    const double bound = all - exact.element(i) + terms * eps * all + 2 * ulp(result.element(i), result.dtype());
    return all == 0 ? 0 : bound;
  })};
}

// The rows of an update follow from the body, into which no rule looks.
std::vector<Array> unknown_bounds(const BoundedCall& call) { return same_bounds(call, infinity); }

constexpr FuzzEntry embedding[] = {
    {&ir::ops::embedding_bag, grow_embedding_bag, lookup_bounds},
    {&ir::ops::embedding_bag_gradient, grow_embedding_bag_gradient, lookup_bounds},
    {&ir::ops::embedding_weights_gradient, grow_embedding_weights_gradient, lookup_bounds},
    {&ir::ops::embedding_update, grow_embedding_update, unknown_bounds}};

}  // namespace

constinit const std::span<const FuzzEntry> embedding_entries = embedding;

}  // namespace weft::fuzz
