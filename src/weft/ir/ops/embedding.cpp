#include <weft/ir/ops/embedding.h>

#include <algorithm>

#include <weft/ir/graph.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

std::vector<LookupEntry> placed(std::vector<LookupEntry> entries, std::span<const Type> tables, Ints counters) {
  for (LookupEntry& entry : entries) {
    entry.width = tables[entry.table].size(1);
    entry.rows = entry.all_rows = tables[entry.table].size(0);
    const bool given = !counters.empty();
    entry.first_counter = given ? counters[2 * entry.table] : entry.table << 40;
    entry.counter_step = given ? counters[2 * entry.table + 1] : counters_of_row(entry.width);
  }
  return entries;
}

// Returns the name of a key between quotes, or its number.
std::string key_name(std::string_view names, std::int64_t key) {
  std::int64_t at = key;
  for (; at > 0 && names.find(',') != names.npos; --at) names.remove_prefix(names.find(',') + 1);
  return names.empty() || at > 0 ? concat("key ", key) : concat('"', names.substr(0, names.find(',')), '"');
}

void require_tables(const Call& call, std::span<const Type> tables) {
  call.require(!tables.empty(), "expected at least one table");
  for (const Type table : tables) {
    call.require(table.rank() == 2, "tables must be matrices [rows, width], got ", table);
    call.require(is_float(table.dtype()), "tables must be of floating-point numbers, got ", table);
    call.require(table.dtype() == tables[0].dtype(), "tables must have one dtype, got ", tables[0], " and ", table);
  }
}

// The sizes of a lookup.
struct LookupSizes {
  bool has_blocks;
  Dim keys;
  DimList samples;  // the batch, or blocks and the samples of a block
};

LookupSizes lookup_sizes(Type ids, Type ends) {
  if (ids.rank() == 1) return {false, ends.dim(0), {ends.dim(1)}};
  return {true, ends.dim(1), {ends.dim(0), ends.dim(2)}};
}

// Requires the operands of a lookup, behind which others may follow.
LookupSizes require_lookup(const Call& call, const LookupOperandPlaces& at, DType pooled,
                           std::span<const Type> tables) {
  call.require(std::ssize(call.operands) > std::max({at.ends, at.weights, at.pieces}), "an operand is missing");
  const auto is_position = [](DType t) { return t == DType::i32 || t == DType::i64; };
  const Type ids = call.type(at.ids), ends = call.type(at.ends);
  call.require((ids.rank() == 1 || ids.rank() == 2) && is_position(ids.dtype()),
               "ids must be a vector, or a matrix [blocks, ids], of i32 or i64, got ", ids);
  call.require(
      ends.rank() == ids.rank() + 1 && is_position(ends.dtype()) && (ids.rank() == 1 || ends.dim(0) == ids.dim(0)),
      "ends must be [keys, batch], or [blocks, keys, samples] for ids in blocks, of i32 or i64, got ", ends);
  if (at.weights >= 0) {
    const Type weights = call.type(at.weights);
    call.require(weights == ids.with(pooled), "weights must be ", ids.with(pooled), ", got ", weights);
  }
  if (at.pieces >= 0) {
    const Type pieces = call.type(at.pieces);
    call.require(pieces.dtype() == DType::i64 && pieces.rank() == 3 && pieces.dim(2) == Dim(PlacedPiece::columns),
                 "pieces must be i64 [parts, slots, ", PlacedPiece::columns, "], got ", pieces);
    for (const Type table : tables) {
      const Dim rows = table.dim(0), parts = pieces.dim(0);
      call.require(
          !rows.is_constant() || !parts.is_constant() || (parts != Dim(0) && rows.value() % parts.value() == 0),
          "the rows of ", table, " do not divide into ", parts, " parts");
    }
  }
  return lookup_sizes(ids, ends);
}

void require_places(const Call& call, std::string_view name, Ints places, std::size_t count, Dim end,
                    std::int64_t least = 0) {
  require_count(call, name, places, count);
  for (const std::int64_t place : places)
    call.require(place >= least && (!end.is_constant() || place < end.value()), name, ": ", place, " is out of range");
}

void require_entries(const Call& call, const EmbeddingAttributes& a, std::span<const Type> tables, Dim keys) {
  call.require(a.placed >= 0 && (a.placed == 0 || (a.keys.empty() && tables.size() == 1)),
               "placed rows are those of one table, and have no entries");
  require_places(call, "keys", a.keys, a.keys.size(), keys);
  require_places(call, "tables", a.tables, a.keys.size(), std::ssize(tables));
  require_places(call, "means", a.means, a.keys.size(), 2);
  if (!a.counters.empty()) require_count(call, "counters", a.counters, 2 * tables.size());
  if (!a.unpooled) return;
  for (const Type table : tables)
    call.require(table.dim(1) == tables[0].dim(1), "tables of an unpooled lookup must have one width, got ", tables[0],
                 " and ", table);
  for (std::size_t i = 0; i < a.keys.size(); ++i)
    call.require(std::ranges::count(a.keys, a.keys[i]) == 1, "key ", a.keys[i],
                 " has two entries in an unpooled lookup");
}

// Returns the type of pooled rows that are placed or unpooled.
Type type_of_rows(const Call& call, const LookupOperandPlaces& at, const LookupSizes& sizes, bool unpooled, Dim width,
                  DType pooled) {
  DimList dims = unpooled ? DimList(call.type(at.ids).dims()) : sizes.samples;
  if (at.pieces >= 0) dims.push_back(call.type(at.pieces).dim(0));
  if (at.pieces >= 0 && !unpooled) dims.push_back(call.type(at.pieces).dim(1));
  dims.push_back(width);
  return dims.type(pooled);
}

// Returns the type of pooled rows.
Type pooled_type(const Call& call, const EmbeddingAttributes& a, const LookupOperandPlaces& at,
                 std::span<const Type> tables) {
  const DType pooled = pooled_dtype(tables[0].dtype());
  const LookupSizes sizes = require_lookup(call, at, pooled, tables);
  require_entries(call, a, tables, sizes.keys);
  if (a.placed > 0 || a.unpooled) return type_of_rows(call, at, sizes, a.unpooled, tables[0].dim(1), pooled);
  DimList dims = sizes.samples;
  Dim width = 0;
  for (const std::int64_t table : a.tables) width = width + tables[table].dim(1);
  dims.push_back(width);
  return dims.type(pooled);
}

std::vector<Type> types_of_first(const Call& call, std::size_t count) {
  std::vector<Type> types;
  for (const Value v : call.operands.first(count)) types.push_back(v.type());
  return types;
}

// Appends the operands of a lookup and returns its attributes.
EmbeddingAttributes append_lookup(std::vector<Value>& operands, const LookupValues& lookup, bool weighted,
                                  const EmbeddingAttributes& attributes) {
  EmbeddingAttributes changed = attributes;
  changed.weighted = weighted && lookup.weights;
  require((attributes.placed > 0) == static_cast<bool>(lookup.pieces),
          "embedding: pieces are given if rows are placed");
  operands.insert(operands.end(), {lookup.ids, lookup.ends});
  if (changed.weighted) operands.push_back(lookup.weights);
  if (lookup.pieces) operands.push_back(lookup.pieces);
  return changed;
}

int operands_of_lookup(const EmbeddingAttributes& a) { return 2 + (a.weighted ? 1 : 0) + (a.placed > 0 ? 1 : 0); }

}  // namespace

std::vector<LookupEntry> lookup_entries(const EmbeddingAttributes& a, std::span<const Type> tables) {
  std::vector<LookupEntry> entries;
  std::int64_t column = 0;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    entries.push_back({.key = a.keys[i], .table = a.tables[i], .column = column, .mean = a.means[i] != 0});
    if (!a.unpooled) column += tables[a.tables[i]].size(1);
  }
  return placed(std::move(entries), tables, a.counters);
}

std::vector<LookupEntry> lookup_entries(const EmbeddingUpdateAttributes& a, std::span<const Type> tables) {
  std::vector<LookupEntry> entries;
  for (std::size_t i = 0; i < a.keys.size(); ++i)
    entries.push_back({.lookup = a.lookups[i],
                       .key = a.keys[i],
                       .table = a.tables[i],
                       .column = a.columns[i],
                       .mean = a.means[i] != 0});
  return placed(std::move(entries), tables, a.counters);
}

void append_placed(std::vector<LookupEntry>& entries, const PlacedLookup& placed) {
  const std::int64_t parts = placed.type.size(0), slots = placed.type.size(1), width = placed.table_type.size(1);
  const std::int64_t rows = parts == 0 ? 0 : placed.table_type.size(0) / parts, keys = placed.keys;
  for (std::int64_t i = 0; i < parts * slots; ++i) {
    const std::int64_t* const at = placed.pieces.data() + i * PlacedPiece::columns;
    const PlacedPiece piece{at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
    if (piece.key < 0) continue;
    require(piece.key < keys && piece.rows >= 0 && piece.first_row >= 0 && piece.first_row <= rows - piece.rows &&
                piece.first_id >= 0 && piece.first_id <= piece.all_rows - piece.rows,
            "embedding: piece ", i % slots, " of part ", i / slots, " (key ", piece.key, ", ids from ", piece.first_id,
            " of ", piece.all_rows, ", ", piece.rows, " rows from ", piece.first_row, ") does not fit: there are ",
            keys, " keys, and ", rows, " rows in a part");
    entries.push_back({.lookup = placed.lookup,
                       .key = piece.key,
                       .table = placed.table,
                       .column = (placed.unpooled ? i / slots : i) * width,
                       .width = width,
                       .mean = piece.mean != 0,
                       .first_id = piece.first_id,
                       .rows = piece.rows,
                       .first_row = i / slots * rows + piece.first_row,
                       .all_rows = piece.all_rows,
                       .first_counter = piece.first_counter,
                       .counter_step = piece.counter_step});
  }
}

LookupOperandPlaces lookup_operand_places(int first, bool weighted, bool placed) {
  LookupOperandPlaces at{.ids = first, .ends = first + 1};
  first += 2;
  if (weighted) at.weights = first++;
  if (placed) at.pieces = first;
  return at;
}

UpdateOperands update_operands(const EmbeddingUpdateAttributes& a) {
  UpdateOperands places{.tables = static_cast<int>(a.bodies.size()), .states = static_cast<int>(a.states)};
  int at = places.tables * (1 + places.states);
  for (std::size_t i = 0; i < a.weighted.size(); ++i) {
    const bool weighted = a.weighted[i] != 0, placed = i < a.placed.size() && a.placed[i] > 0;
    const bool unpooled = i < a.unpooled.size() && a.unpooled[i] != 0;
    places.lookups.push_back({lookup_operand_places(at + 1, weighted, placed), at, unpooled});
    at += 3 + (weighted ? 1 : 0) + (placed ? 1 : 0);
  }
  if (!a.counters.empty()) places.key = at++;
  if (a.row_counters) {
    places.row_counters = at;
    at += places.tables;
  }
  places.numbers = at;
  return places;
}

int lookup_tables(const Node& node) {
  const int others = operands_of_lookup(node.attributes<EmbeddingAttributes>());
  return static_cast<int>(node.operands.size()) - others - (node.op == &ops::embedding_weights_gradient ? 1 : 0);
}

Type row_type(Type rows) { return Type(rows.dtype(), rows.dims().subspan(1)); }

DType pooled_dtype(DType table) { return table == DType::f64 ? DType::f64 : DType::f32; }

void fail_id(std::string_view names, std::int64_t key, std::int64_t sample, std::int64_t id, std::int64_t rows) {
  fail("embedding: id ", id, " of ", key_name(names, key), ", sample ", sample, ", is no row of its table, which has ",
       rows, " rows: correct the ids, or choose the bounds warn or ignore, which skip such ids");
}

void fail_ends(std::string_view names, std::int64_t key, std::int64_t sample, std::int64_t begin, std::int64_t end,
               std::int64_t ids) {
  fail("embedding: the bag of ", key_name(names, key), ", sample ", sample, ", begins at ", begin, " and ends at ", end,
       ", with ", ids, " ids in all: ends must not decrease, nor be greater than the number of ids");
}

Value embedding_bag(std::span<const Value> tables, const LookupValues& lookup, const EmbeddingAttributes& attributes) {
  std::vector<Value> operands(tables.begin(), tables.end());
  const EmbeddingAttributes a = append_lookup(operands, lookup, true, attributes);
  return lookup.ids.graph().append(ops::embedding_bag, operands, &a).result();
}

std::vector<Value> embedding_bag_gradient(Value cotangent, const LookupValues& lookup, std::span<const Type> types,
                                          const EmbeddingAttributes& attributes) {
  std::vector<Value> operands{cotangent};
  const EmbeddingAttributes a = append_lookup(operands, lookup, true, attributes);
  Node& node = lookup.ids.graph().append(ops::embedding_bag_gradient, operands, &a, types);
  std::vector<Value> gradients;
  for (std::uint32_t i = 0; i < types.size(); ++i) gradients.push_back(node.result(i));
  return gradients;
}

Value embedding_weights_gradient(std::span<const Value> tables, Value cotangent, const LookupValues& lookup,
                                 const EmbeddingAttributes& attributes) {
  std::vector<Value> operands(tables.begin(), tables.end());
  operands.push_back(cotangent);
  const EmbeddingAttributes a = append_lookup(operands, lookup, false, attributes);
  return lookup.ids.graph().append(ops::embedding_weights_gradient, operands, &a).result();
}

void embedding_bag_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const int count = static_cast<int>(call.operands.size()) - operands_of_lookup(a);
  call.require(count > 0, "expected tables, ids and ends");
  const std::vector<Type> tables = types_of_first(call, count);
  require_tables(call, tables);
  results.push_back(pooled_type(call, a, lookup_operand_places(count, a.weighted, a.placed > 0), tables));
}

void embedding_bag_gradient_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  call.require(!call.requested.empty(), "the types of the tables must be given");
  require_tables(call, call.requested);
  call.require(std::ssize(call.operands) == 1 + operands_of_lookup(a), "expected ", 1 + operands_of_lookup(a),
               " operands");
  const Type expected = pooled_type(call, a, lookup_operand_places(1, a.weighted, a.placed > 0), call.requested);
  call.require(call.type(0) == expected, "the cotangent must be ", expected);
  results.assign(call.requested.begin(), call.requested.end());
}

void embedding_weights_gradient_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const int count = static_cast<int>(call.operands.size()) - 1 - operands_of_lookup(a);
  call.require(count > 0 && !a.weighted, "expected tables, a cotangent, ids and ends");
  const std::vector<Type> tables = types_of_first(call, count);
  require_tables(call, tables);
  const Type expected = pooled_type(call, a, lookup_operand_places(count + 1, false, a.placed > 0), tables);
  call.require(call.type(count) == expected, "the cotangent must be ", expected);
  results.push_back(call.type(count + 1).with(expected.dtype()));
}

void embedding_update_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingUpdateAttributes>();
  call.require(a.states >= 0 && a.states < 64, "a table has 0 to 63 states, got ", a.states);
  const UpdateOperands places = update_operands(a);
  call.require(std::ssize(call.operands) >= places.numbers, "expected ", places.numbers, " operands or more, got ",
               call.operands.size());
  const std::vector<Type> tables = types_of_first(call, places.tables);
  require_tables(call, tables);
  const DType pooled = pooled_dtype(tables[0].dtype());
  const std::size_t entries = a.keys.size();
  require_places(call, "lookups", a.lookups, entries, std::ssize(places.lookups));
  require_places(call, "tables", a.tables, entries, places.tables);
  require_places(call, "means", a.means, entries, 2);
  require_places(call, "bodies", a.bodies, a.bodies.size(), std::ssize(call.regions));
  require_count(call, "keys", a.keys, entries);
  require_count(call, "columns", a.columns, entries);
  call.require(
      a.placed.size() == a.placed_tables.size() && (a.placed.empty() || a.placed.size() == places.lookups.size()),
      "placed, placed_tables: expected ", places.lookups.size(), " numbers");
  require_places(call, "placed_tables", a.placed_tables, a.placed_tables.size(), places.tables);
  if (!a.unpooled.empty()) require_places(call, "unpooled", a.unpooled, places.lookups.size(), 2);
  if (places.key >= 0) {
    require_count(call, "counters", a.counters, 2 * tables.size());
    const Type key(DType::u64, {});
    call.require(call.type(places.key) == key, "the key of random bits must be ", key, ", got ", call.type(places.key));
  }
  if (places.row_counters >= 0) {
    call.require(places.key >= 0, "row_counters: there are no random bits");
    for (int t = 0; t < places.tables; ++t) {
      const Type counters = call.type(places.row_counters + t);
      call.require(counters == Type(DType::i64, {tables[t].dim(0)}), "table ", t,
                   " needs where the random bits of each row begin, i64, got ", counters);
    }
  }
  for (std::size_t i = 0; i < places.lookups.size(); ++i) {
    const UpdateOperands::Lookup& at = places.lookups[i];
    const bool placed = at.pieces >= 0;
    const Type cotangent = call.type(at.cotangent);
    const std::span<const Type> of =
        placed ? std::span(tables).subspan(a.placed_tables[i], 1) : std::span<const Type>();
    const LookupSizes sizes = require_lookup(call, at, pooled, of);
    call.require(cotangent.rank() > 0, "a cotangent must have columns");
    const Dim columns = placed ? of[0].dim(1) : cotangent.dim(cotangent.rank() - 1);
    const Type expected = type_of_rows(call, at, sizes, at.unpooled, columns, pooled);
    call.require(cotangent == expected, "a cotangent must be ", expected, ", got ", cotangent);
    for (std::size_t before = 0; placed && before < i; ++before)
      if (const int pieces = places.lookups[before].pieces;
          pieces >= 0 && a.placed_tables[before] == a.placed_tables[i])
        call.require(call.type(pieces).dim(0) == call.type(at.pieces).dim(0),
                     "the lookups of a table must have the same parts");
  }
  for (std::size_t i = 0; i < entries; ++i) {
    const UpdateOperands::Lookup& at = places.lookups[a.lookups[i]];
    call.require(at.pieces < 0, "lookup ", a.lookups[i], " is of placed rows, and has no entries");
    for (std::size_t k = 0; k < places.lookups.size(); ++k)
      call.require(places.lookups[k].pieces < 0 || a.placed_tables[k] != a.tables[i], "table ", a.tables[i],
                   " has placed rows, and is read by entries as well");
    const Type cotangent = call.type(at.cotangent);
    const Dim keys = lookup_sizes(call.type(at.ids), call.type(at.ends)).keys,
              columns = cotangent.dim(cotangent.rank() - 1), width = tables[a.tables[i]].dim(1);
    call.require(a.keys[i] >= 0 && (!keys.is_constant() || a.keys[i] < keys.value()), "keys: ", a.keys[i],
                 " is out of range");
    call.require(a.columns[i] >= 0 && (!columns.is_constant() || !width.is_constant() ||
                                       a.columns[i] + width.value() <= columns.value()),
                 "columns: ", a.columns[i], " is out of range");
  }
  for (int t = 0; t < places.tables; ++t) {
    std::vector<Type> inputs{row_type(tables[t]), row_type(tables[t]).with(pooled)}, outputs{inputs[0]};
    for (int i = 0; i < places.states; ++i) {
      const Type state = call.type(places.state(t, i));
      call.require(state.rank() >= 1 && state.dim(0) == tables[t].dim(0), "a state must have the rows of its table ",
                   tables[t], ", got ", state);
      inputs.push_back(row_type(state));
      outputs.push_back(row_type(state));
    }
    if (places.key >= 0) inputs.push_back(row_type(tables[t]).with(DType::u32));
    for (const Value number : call.operands.subspan(places.numbers)) inputs.push_back(number.type());
    require_region(call, a.bodies[t], inputs, outputs);
  }
  for (const Value v : call.operands.first(places.tables * (1 + places.states))) results.push_back(v.type());
}

}  // namespace weft::ir
