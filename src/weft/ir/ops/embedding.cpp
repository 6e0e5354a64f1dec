#include <weft/ir/ops/embedding.h>

#include <algorithm>

#include <weft/ir/graph.h>
#include <weft/ir/ops/rules.h>

namespace weft::ir {

namespace {

std::vector<LookupEntry> placed(std::vector<LookupEntry> entries, std::span<const Type> tables) {
  for (LookupEntry& entry : entries) entry.width = entry.table < 0 ? 0 : tables[entry.table].size(1);
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

// Requires ids and ends at these operands, and weights behind them if there are any.
void require_ids(const Call& call, std::size_t ids, bool weighted, DType pooled) {
  call.require(call.operands.size() > ids + 1 + (weighted ? 1 : 0), "an operand is missing");
  const auto is_position = [](DType t) { return t == DType::i32 || t == DType::i64; };
  const Type of_ids = call.type(ids), ends = call.type(ids + 1);
  call.require(of_ids.rank() == 1 && is_position(of_ids.dtype()), "ids must be a vector of i32 or i64, got ", of_ids);
  call.require(ends.rank() == 2 && is_position(ends.dtype()), "ends must be a matrix [keys, batch] of i32 or i64, got ",
               ends);
  if (!weighted) return;
  const Type weights = call.type(ids + 2);
  call.require(weights.dtype() == pooled && std::ranges::equal(weights.dims(), of_ids.dims()), "weights must be ",
               of_ids.with(pooled), ", got ", weights);
}

void require_places(const Call& call, std::string_view name, Ints places, std::size_t count, Dim end,
                    std::int64_t least = 0) {
  require_count(call, name, places, count);
  for (const std::int64_t place : places)
    call.require(place >= least && (!end.is_constant() || place < end.value()), name, ": ", place, " is out of range");
}

void require_entries(const Call& call, const EmbeddingAttributes& a, std::span<const Type> tables, Dim keys) {
  require_places(call, "keys", a.keys, a.keys.size(), keys);
  require_places(call, "tables", a.tables, a.keys.size(), std::ssize(tables));
  require_places(call, "means", a.means, a.keys.size(), 2);
}

Dim total_width(const EmbeddingAttributes& a, std::span<const Type> tables) {
  Dim width = 0;
  for (const std::int64_t table : a.tables) width = width + tables[table].dim(1);
  return width;
}

std::vector<Type> types_of_first(const Call& call, std::size_t count) {
  std::vector<Type> types;
  for (const Value v : call.operands.first(count)) types.push_back(v.type());
  return types;
}

std::vector<Value> with_weights(std::vector<Value> operands, Value weights) {
  if (weights) operands.push_back(weights);
  return operands;
}

EmbeddingAttributes weighted_if(const EmbeddingAttributes& attributes, bool weighted) {
  EmbeddingAttributes changed = attributes;
  changed.weighted = weighted;
  return changed;
}

}  // namespace

std::vector<LookupEntry> lookup_entries(const EmbeddingAttributes& a, std::span<const Type> tables) {
  std::vector<LookupEntry> entries;
  std::int64_t column = 0;
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    entries.push_back({.key = a.keys[i], .table = a.tables[i], .column = column, .mean = a.means[i] != 0});
    column += tables[a.tables[i]].size(1);
  }
  return placed(std::move(entries), tables);
}

std::vector<LookupEntry> lookup_entries(const EmbeddingUpdateAttributes& a, std::span<const Type> tables) {
  std::vector<LookupEntry> entries;
  for (std::size_t i = 0; i < a.keys.size(); ++i)
    entries.push_back({.lookup = a.lookups[i],
                       .key = a.keys[i],
                       .table = a.tables[i],
                       .column = a.columns[i],
                       .mean = a.means[i] != 0});
  return placed(std::move(entries), tables);
}

UpdateOperands update_operands(const EmbeddingUpdateAttributes& a) {
  UpdateOperands places{.tables = static_cast<int>(a.bodies.size()), .states = static_cast<int>(a.states)};
  int at = places.tables * (1 + places.states);
  for (const std::int64_t weighted : a.weighted) {
    places.lookups.push_back({at, at + 1, at + 2, weighted != 0 ? at + 3 : -1});
    at += weighted != 0 ? 4 : 3;
  }
  places.numbers = at;
  return places;
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

Value embedding_bag(std::span<const Value> tables, Value ids, Value ends, Value weights,
                    const EmbeddingAttributes& attributes) {
  std::vector<Value> operands(tables.begin(), tables.end());
  operands.insert(operands.end(), {ids, ends});
  const EmbeddingAttributes a = weighted_if(attributes, static_cast<bool>(weights));
  return ids.graph().append(ops::embedding_bag, with_weights(std::move(operands), weights), &a).result();
}

std::vector<Value> embedding_bag_gradient(Value cotangent, Value ids, Value ends, Value weights,
                                          std::span<const Type> types, const EmbeddingAttributes& attributes) {
  const EmbeddingAttributes a = weighted_if(attributes, static_cast<bool>(weights));
  Node& node =
      ids.graph().append(ops::embedding_bag_gradient, with_weights({cotangent, ids, ends}, weights), &a, types);
  std::vector<Value> gradients;
  for (std::uint32_t i = 0; i < types.size(); ++i) gradients.push_back(node.result(i));
  return gradients;
}

Value embedding_weights_gradient(std::span<const Value> tables, Value cotangent, Value ids, Value ends,
                                 const EmbeddingAttributes& attributes) {
  std::vector<Value> operands(tables.begin(), tables.end());
  operands.insert(operands.end(), {cotangent, ids, ends});
  const EmbeddingAttributes a = weighted_if(attributes, false);
  return ids.graph().append(ops::embedding_weights_gradient, operands, &a).result();
}

void embedding_bag_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const std::size_t others = a.weighted ? 3 : 2;
  call.require(call.operands.size() > others, "expected tables, ids and ends");
  const std::size_t count = call.operands.size() - others;
  const std::vector<Type> tables = types_of_first(call, count);
  require_tables(call, tables);
  const DType pooled = pooled_dtype(tables[0].dtype());
  require_ids(call, count, a.weighted, pooled);
  require_entries(call, a, tables, call.type(count + 1).dim(0));
  results.push_back(Type(pooled, {call.type(count + 1).dim(1), total_width(a, tables)}));
}

void embedding_bag_gradient_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  call.require(!call.requested.empty(), "the types of the tables must be given");
  require_tables(call, call.requested);
  const DType pooled = pooled_dtype(call.requested[0].dtype());
  call.require(!call.operands.empty(), "expected a cotangent");
  require_ids(call, 1, a.weighted, pooled);
  call.require(call.operands.size() == (a.weighted ? 4u : 3u), "there are too many operands");
  require_entries(call, a, call.requested, call.type(2).dim(0));
  const Type expected(pooled, {call.type(2).dim(1), total_width(a, call.requested)});
  call.require(call.type(0) == expected, "the cotangent must be ", expected);
  results.assign(call.requested.begin(), call.requested.end());
}

void embedding_weights_gradient_type(const Call& call, std::vector<Type>& results) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  call.require(call.operands.size() > 3 && !a.weighted, "expected tables, a cotangent, ids and ends");
  const std::size_t count = call.operands.size() - 3;
  const std::vector<Type> tables = types_of_first(call, count);
  require_tables(call, tables);
  const DType pooled = pooled_dtype(tables[0].dtype());
  require_ids(call, count + 1, false, pooled);
  require_entries(call, a, tables, call.type(count + 2).dim(0));
  const Type expected(pooled, {call.type(count + 2).dim(1), total_width(a, tables)});
  call.require(call.type(count) == expected, "the cotangent must be ", expected);
  results.push_back(call.type(count + 1).with(pooled));
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
  for (const UpdateOperands::Lookup& at : places.lookups) {
    require_ids(call, at.ids, at.weights >= 0, pooled);
    const Type cotangent = call.type(at.cotangent);
    call.require(cotangent.dtype() == pooled && cotangent.rank() == 2 && cotangent.dim(0) == call.type(at.ends).dim(1),
                 "a cotangent must have a row for each sample, got ", cotangent);
  }
  for (std::size_t i = 0; i < entries; ++i) {
    const UpdateOperands::Lookup& at = places.lookups[a.lookups[i]];
    const Dim keys = call.type(at.ends).dim(0), columns = call.type(at.cotangent).dim(1),
              width = tables[a.tables[i]].dim(1);
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
    for (const Value number : call.operands.subspan(places.numbers)) inputs.push_back(number.type());
    require_region(call, a.bodies[t], inputs, outputs);
  }
  for (const Value v : call.operands.first(places.tables * (1 + places.states))) results.push_back(v.type());
}

}  // namespace weft::ir
