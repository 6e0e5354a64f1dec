// Samples of lookups in embedding tables and of their update. Ids reach out of bounds on both sides; ends follow from lengths.
#include <cstring>
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

struct LookupCase {
  std::vector<std::array<std::int64_t, 2>> tables;  // rows, width
  std::int64_t keys, batch, ids;
  std::vector<std::int64_t> of_keys, of_tables, means;
  bool weighted = false;
  std::int64_t blocks = 0;            // 0: the batch is not in blocks
  std::int64_t parts = 0;             // 0: rows are not placed
  std::vector<PlacedPiece> pieces{};  // of all parts
  bool unpooled = false;
  bool random = false;        // updates get random bits
  bool row_counters = false;  // of which each row says where they begin

  EmbeddingAttributes attributes() const {
    return {of_keys, of_tables, means, false, IdBounds::IGNORE, "a,b,c", parts == 0 ? 0 : 2, unpooled};
  }
  Type ids_type(DType dtype) const { return blocks == 0 ? Type(dtype, {ids}) : Type(dtype, {blocks, ids}); }
  Type pooled_type(DType dtype) const {
    std::vector<Dim> dims;
    if (blocks != 0) dims.emplace_back(blocks);
    dims.emplace_back(unpooled ? ids : batch);
    if (parts != 0) dims.emplace_back(parts);
    if (parts != 0 && !unpooled) dims.emplace_back(std::ssize(pieces) / parts);
    if (parts != 0 || unpooled) {
      dims.emplace_back(tables[0][1]);
    } else {
      std::int64_t sum = 0;
      for (const std::int64_t table : of_tables) sum += tables[table][1];
      dims.emplace_back(sum);
    }
    return Type(dtype, dims);
  }
  Value placed(Graph& graph) const {
    if (parts == 0) return {};
    Array array(Type(DType::i64, {parts, std::ssize(pieces) / parts, PlacedPiece::columns}));
    std::memcpy(array.data<std::int64_t>().data(), pieces.data(), array.bytes().size());
    return constant(graph, array.literal());
  }
};
static_assert(sizeof(PlacedPiece) == PlacedPiece::columns * sizeof(std::int64_t));

// Two tables over two parts of 6 rows: one of 7 rows and a mean, by rows; one of 3 rows, wholly in the second part, which looks it up for
// two keys. A slot of the first part is free.
const std::vector<PlacedPiece> by_rows{{0, 1, 0, 4, 2, 7}, {},
                                       {1, 1, 0, 4, 2, 7}, {2, 0, 0, 0, 0, 3},
                                       {0, 1, 4, 3, 0, 7}, {0, 0, 0, 3, 3, 3},
                                       {1, 1, 4, 3, 0, 7}, {2, 0, 0, 3, 3, 3}};

const LookupCase lookup_cases[] = {
    {{{7, 3}}, 1, 4, 8, {0}, {0}, {0}},
    {{{5, 2}, {9, 17}, {4, 1}},
     3,
     5,
     30,
     {0, 1, 2, 0},
     {0, 1, 2, 1},
     {0, 1, 0, 1}},  // a shared table, and a key of two tables
    {{{6, 4}}, 2, 3, 12, {1, 0}, {0, 0}, {1, 0}, true},
    {{{5, 2}, {3, 2}}, 3, 1, 6, {2}, {1}, {0}, true},  // keys and a table that nothing uses
    {{{4, 3}}, 1, 0, 5, {0}, {0}, {0}},                // no samples: all ids are padding
    {{{4, 3}}, 2, 3, 0, {1, 0}, {0, 0}, {1, 0}},       // no ids
    {{{4, 0}}, 1, 2, 4, {0}, {0}, {0}},                // no columns
    {{{5, 2}, {9, 3}}, 3, 2, 9, {0, 2, 0}, {0, 1, 1}, {0, 1, 0}, false, 4},
    {{{6, 4}}, 2, 3, 12, {1, 0}, {0, 0}, {1, 0}, true, 2},
    {{{12, 2}}, 3, 4, 20, {}, {}, {}, false, 0, 2, by_rows},
    {{{12, 3}}, 3, 2, 8, {}, {}, {}, true, 4, 2, by_rows, false, true},
    // Unpooled: a key and padding without rows; in blocks, with weights; of placed rows.
    {{{5, 3}, {7, 3}}, 3, 4, 24, {2, 0}, {0, 1}, {0, 1}, false, 0, 0, {}, true, true, true},
    {{{6, 4}}, 2, 3, 12, {1, 0}, {0, 0}, {1, 0}, true, 2, 0, {}, true},
    {{{12, 5}}, 3, 2, 8, {}, {}, {}, true, 4, 2, by_rows, true, true},
    // Each row says where its random bits begin: of tables, and of placed rows.
    {{{5, 2}, {9, 3}}, 3, 2, 9, {0, 2, 0}, {0, 1, 1}, {0, 1, 0}, false, 0, 0, {}, false, true, true},
    {{{12, 3}}, 3, 2, 8, {}, {}, {}, true, 4, 2, by_rows, false, true, true},
};

// Returns the sums of the lengths so far in a block, at most `ids`.
Value ends_of(Value lengths, const LookupCase& c, DType dtype) {
  const std::int64_t n = lengths.size(0);
  const Type square(DType::i32, {n, n});
  Graph& graph = lengths.graph();
  const std::int64_t across[] = {1};
  const Value all = broadcast_in_dim(lengths, square, across), row = iota(graph, square, 0),
              column = iota(graph, square, 1);
  const Value bags = constant_like(row, static_cast<double>(std::max<std::int64_t>(1, c.keys * c.batch)));
  const Value counts = and_(compare(column, row, Direction::LE), compare(row / bags, column / bags, Direction::EQ));
  const Value ends = minimum(reduce_sum(select(counts, all, constant_like(all, 0)), across),
                             constant(graph, lengths.type(), static_cast<double>(c.ids)));
  std::vector<Dim> dims{Dim(c.keys), Dim(c.batch)};
  if (c.blocks != 0) dims.insert(dims.begin(), Dim(c.blocks));
  return convert(reshape(ends, dims), dtype);
}

// The inputs of a lookup: tables if wanted, a cotangent if wanted, ids, lengths, weights if there are any.
struct Inputs {
  std::vector<Type> types;
  std::size_t cotangent = 0, ids = 0;
};

Inputs inputs_of(const LookupCase& c, DType dtype, DType index, bool tables, bool cotangent) {
  Inputs inputs;
  const DType pooled = pooled_dtype(dtype);
  if (tables)
    for (const auto& [rows, width] : c.tables) inputs.types.push_back(Type(dtype, {rows, width}));
  inputs.cotangent = inputs.types.size();
  if (cotangent) inputs.types.push_back(c.pooled_type(pooled));
  inputs.ids = inputs.types.size();
  inputs.types.push_back(c.ids_type(index));
  inputs.types.push_back(Type(DType::i32, {std::max<std::int64_t>(1, c.blocks) * c.keys * c.batch}));
  if (c.weighted) inputs.types.push_back(c.ids_type(pooled));
  return inputs;
}

LookupValues lookup(Graph& graph, const LookupCase& c, const Inputs& inputs, std::span<const Value> x, DType index) {
  return {x[inputs.ids], ends_of(x[inputs.ids + 1], c, index), c.weighted ? x[inputs.ids + 2] : Value(),
          c.placed(graph)};
}

void set_ranges(OpSample& sample, const Inputs& inputs) {
  for (InputRange& range : sample.inputs) range.edges = false;
  sample.inputs[inputs.ids] = {.low = -2, .high = 10, .edges = true};
  sample.inputs[inputs.ids + 1] = {.low = 0, .high = 3};
}

// Divisions by 3 are not exact, and neither are sums of their parts.
LookupCase without_means_of_pieces(LookupCase c) {
  for (PlacedPiece& piece : c.pieces) piece.mean = 0;
  return c;
}

void bag_samples(SampleList& list, const LookupCase& c, DType dtype, DType index) {
  const Inputs inputs = inputs_of(c, dtype, index, true, false);
  OpSample& sample = list.add(inputs.types, [&](Graph& graph, std::span<const Value> x) {
    return std::vector{embedding_bag(x.first(inputs.ids), lookup(graph, c, inputs, x, index), c.attributes())};
  });
  set_ranges(sample, inputs);
}

void bag_gradient_samples(SampleList& list, const LookupCase& given, DType dtype, DType index) {
  const LookupCase c = given.blocks == 0 ? given : without_means_of_pieces(given);
  const Inputs inputs = inputs_of(c, dtype, index, false, true);
  std::vector<Type> types;
  for (const auto& [rows, width] : c.tables) types.push_back(Type(dtype, {rows, width}));
  OpSample& sample = list.add(inputs.types, [&](Graph& graph, std::span<const Value> x) {
    return embedding_bag_gradient(x[0], lookup(graph, c, inputs, x, index), types, c.attributes());
  });
  set_ranges(sample, inputs);
}

void weights_gradient_samples(SampleList& list, const LookupCase& given, DType dtype, DType index) {
  LookupCase c = without_means_of_pieces(given);
  c.weighted = false;
  const Inputs inputs = inputs_of(c, dtype, index, true, true);
  OpSample& sample = list.add(inputs.types, [&](Graph& graph, std::span<const Value> x) {
    return std::vector{embedding_weights_gradient(x.first(inputs.cotangent), x[inputs.cotangent],
                                                  lookup(graph, c, inputs, x, index), c.attributes())};
  });
  set_ranges(sample, inputs);
}

// The states are a matrix like the table, and one number for each row; the body has a mean along the row.
void update_samples(SampleList& list, const LookupCase& c, DType dtype, DType index) {
  const DType pooled = pooled_dtype(dtype);
  const Inputs inputs = inputs_of(c, dtype, index, true, true);
  std::vector<Type> types = inputs.types;
  const std::size_t states = types.size(), count = c.tables.size();
  for (const auto& [rows, width] : c.tables) types.push_back(Type(pooled, {rows, width}));
  for (const auto& [rows, width] : c.tables) types.push_back(Type(pooled, {rows}));
  types.push_back(Type(pooled, {}));
  std::vector<std::shared_ptr<const Graph>> regions;
  std::vector<std::int64_t> columns, lookups(c.of_keys.size(), 0), bodies;
  const std::vector<std::int64_t> weighted{c.weighted ? 1 : 0}, placed{c.attributes().placed}, placed_tables{0},
      unpooled{c.unpooled ? 1 : 0};
  std::vector<std::int64_t> counters;
  std::int64_t column = 0;
  for (const std::int64_t table : c.of_tables) {
    columns.push_back(column);
    if (!c.unpooled) column += c.tables[table][1];
  }
  for (std::size_t t = 0; t < count; ++t) {
    const Type row(pooled, {c.tables[t][1]}), number(pooled, {});
    bodies.push_back(static_cast<std::int64_t>(t));
    if (c.random) counters.insert(counters.end(), {static_cast<std::int64_t>(3 * t), 2});
    std::vector<Type> inputs_of_body{row.with(dtype), row, row, number};
    if (c.random) inputs_of_body.push_back(row.with(DType::u32));
    inputs_of_body.push_back(number);
    regions.push_back(make_graph(inputs_of_body, [&](Graph&, std::span<const Value> x) {
      const std::int64_t along[] = {0};
      const Value state = x[2] + x[1] * x[1], sum = x[3] + reduce_sum(x[1] * x[1], along);
      Value next = convert(x[0], pooled) - x[1] * broadcast(x.back() / (sqrt(sum) + constant_like(sum, 1)), row);
      if (c.random) next = next + convert(shift_right_logical(x[4], constant_like(x[4], 30)), pooled);
      return std::vector{convert(next, dtype), state, sum};
    }));
  }
  OpSample& sample = list.add(types, [&](Graph& graph, std::span<const Value> x) {
    std::vector<Value> operands(x.begin(), x.begin() + inputs.cotangent);
    operands.insert(operands.end(), x.begin() + states, x.end() - 1);
    operands.insert(operands.end(), {x[inputs.cotangent], x[inputs.ids], ends_of(x[inputs.ids + 1], c, index)});
    if (c.weighted) operands.push_back(x[inputs.ids + 2]);
    if (c.parts != 0) operands.push_back(c.placed(graph));
    if (c.random) operands.push_back(constant(graph, Type(DType::u64, {}), 12345));
    for (std::size_t t = 0; c.row_counters && t < count; ++t) {
      const Value row = iota(graph, Type(DType::i64, {c.tables[t][0]}), 0);
      operands.push_back(row * row * constant_like(row, 3) + constant_like(row, static_cast<double>(t)));
    }
    operands.push_back(x.back());
    const EmbeddingUpdateAttributes attributes{.lookups = lookups,
                                               .keys = c.of_keys,
                                               .columns = columns,
                                               .tables = c.of_tables,
                                               .means = c.means,
                                               .weighted = weighted,
                                               .bodies = bodies,
                                               .states = 2,
                                               .bounds = IdBounds::IGNORE,
                                               .names = "a,b,c",
                                               .placed = placed,
                                               .placed_tables = placed_tables,
                                               .unpooled = unpooled,
                                               .counters = counters,
                                               .row_counters = c.row_counters};
    return all_results(graph.append(list.op(), operands, &attributes, {}, regions));
  });
  set_ranges(sample, inputs);
  for (std::size_t i = states + count; i < states + 2 * count; ++i) sample.inputs[i].low = 0;
}

template <void (*add)(SampleList& list, const LookupCase& c, DType dtype, DType index)>
void in_all_cases(SampleList& list) {
  for (const LookupCase& c : lookup_cases)
    for (const DType dtype : {DType::f32, DType::f64}) add(list, c, dtype, DType::i64);
  for (const DType dtype : members(list.op().domain)) add(list, lookup_cases[1], dtype, DType::i32);
}

void weights_gradient_in_all_cases(SampleList& list) {
  for (const LookupCase& c : lookup_cases)
    for (const DType dtype : members(list.op().domain)) weights_gradient_samples(list, c, dtype, DType::i32);
}

constexpr SampleEntry embedding_table[] = {
    {&ops::embedding_bag, in_all_cases<bag_samples>, needs_a_dimension},
    {&ops::embedding_bag_gradient, in_all_cases<bag_gradient_samples>, needs_a_dimension},
    {&ops::embedding_weights_gradient, weights_gradient_in_all_cases, needs_a_dimension},
    {&ops::embedding_update, in_all_cases<update_samples>, needs_a_dimension},
};

}  // namespace

constinit const std::span<const SampleEntry> embedding_samples = embedding_table;

}  // namespace weft::ir
