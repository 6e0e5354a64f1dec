// Lookups in embedding tables and their updates. Sums are taken in f64 and rounded once.
#include <cmath>

#include <weft/base/random.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// One id of a bag that is a row of its table.
struct Found {
  const LookupEntry& entry;
  std::int64_t place, position, row;  // place: of its pooled row; position: of the id among all ids
  double scale;                       // weight and mean
};

struct Ids {
  const Array *ids, *ends, *weights;  // weights: null if there are none
  bool unpooled;
};

std::int64_t integer(const Array& array, std::int64_t i) {
  return array.dtype() == DType::i32 ? array.data<std::int32_t>()[i] : array.data<std::int64_t>()[i];
}

Ids ids_at(const NodeCall& call, const LookupOperandPlaces& at, bool unpooled) {
  return {&call[at.ids], &call[at.ends], at.weights < 0 ? nullptr : &call[at.weights], unpooled};
}

// Appends the entries of placed rows, if the lookup has any.
void append_placed_at(std::vector<LookupEntry>& entries, const NodeCall& call, const LookupOperandPlaces& at,
                      bool unpooled, std::int64_t lookup, std::int64_t table, Type table_type) {
  if (at.pieces < 0) return;
  const Array& pieces = call[at.pieces];
  const Type ends = call[at.ends].type();
  append_placed(entries, {.pieces = pieces.data<std::int64_t>(),
                          .type = pieces.type(),
                          .lookup = lookup,
                          .table = table,
                          .table_type = table_type,
                          .keys = ends.size(ends.rank() - 2),
                          .unpooled = unpooled});
}

std::vector<LookupEntry> entries_of(const NodeCall& call, const LookupOperandPlaces& at, std::span<const Type> tables) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  std::vector<LookupEntry> entries = lookup_entries(a, tables);
  append_placed_at(entries, call, at, a.unpooled, 0, 0, tables[0]);
  return entries;
}

// Returns the number of pooled elements of a sample.
std::int64_t columns_of(Type pooled, const Ids& lookup) {
  std::int64_t columns = 1;
  for (int d = lookup.ids->type().rank(); d < pooled.rank(); ++d) columns *= pooled.size(d);
  return columns;
}

// Calls f(Found) for the ids of an entry, in order.
template <class F>
void for_each_id(const Ids& lookup, const LookupEntry& entry, IdBounds bounds, std::string_view names, F&& f) {
  const Type ends = lookup.ends->type();
  const std::int64_t blocks = ends.rank() == 3 ? ends.size(0) : 1, keys = ends.size(ends.rank() - 2),
                     samples = ends.size(ends.rank() - 1), count = blocks == 0 ? 0 : lookup.ids->size() / blocks;
  for (std::int64_t sample = 0; sample < blocks * samples; ++sample) {
    const std::int64_t block = sample / samples, first_bag = block * keys * samples;
    const std::int64_t bag = first_bag + entry.key * samples + sample % samples;
    const std::int64_t begin = bag == first_bag ? 0 : integer(*lookup.ends, bag - 1), end = integer(*lookup.ends, bag);
    if (begin < 0 || begin > end || end > count) fail_ends(names, entry.key, sample, begin, end, count);
    for (std::int64_t i = block * count + begin; i < block * count + end; ++i) {
      const std::int64_t id = integer(*lookup.ids, i);
      if (!entry.is_in_bounds(id) && bounds == IdBounds::ERROR) fail_id(names, entry.key, sample, id, entry.all_rows);
      const double weight = lookup.weights ? lookup.weights->element(i) : 1;
      if (const auto row = entry.row(id))
        f(Found{entry, lookup.unpooled ? i : sample, i, *row,
                entry.mean ? weight / static_cast<double>(end - begin) : weight});
    }
  }
}

// f64 sums, from which an array is rounded. A sum starts with its first term, so that a single -0 stays -0.
class Sums {
 public:
  explicit Sums(Type type) : type_(type), sums_(type.elements(), -0.0) {}
  void add(std::int64_t i, double term) { sums_[i] += term; }
  Array round() const {
    Array array(type_);
    visit(type_.dtype(), [&]<class T>(T) {
      if constexpr (is_float_type<T>)
        for (std::size_t i = 0; i < sums_.size(); ++i) array.data<T>()[i] = convert_element<T>(sums_[i]);
    });
    return array;
  }

 private:
  Type type_;
  std::vector<double> sums_;
};

std::vector<Type> types_of_first(const NodeCall& call, std::size_t count) {
  std::vector<Type> types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(call[i].type());
  return types;
}

}  // namespace

std::vector<Array> embedding_bag(const NodeCall& call) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const int count = lookup_tables(call.node);
  const LookupOperandPlaces at = lookup_operand_places(count, a.weighted, a.placed > 0);
  const Ids lookup = ids_at(call, at, a.unpooled);
  const std::int64_t columns = columns_of(call.type(), lookup);
  Sums sums(call.type());
  std::vector<bool> has_terms(call.type().elements());
  for (const LookupEntry& entry : entries_of(call, at, types_of_first(call, count))) {
    const Array& table = call[static_cast<int>(entry.table)];
    for_each_id(lookup, entry, a.bounds, a.names, [&](const Found& found) {
      for (std::int64_t c = 0; c < entry.width; ++c) {
        const std::int64_t to = found.place * columns + entry.column + c;
        sums.add(to, found.scale * table.element(found.row * entry.width + c));
        has_terms[to] = true;
      }
    });
  }
  for (std::size_t i = 0; i < has_terms.size(); ++i)
    if (!has_terms[i]) sums.add(static_cast<std::int64_t>(i), 0);  // an empty bag gives +0
  return one(sums.round());
}

std::vector<Array> embedding_bag_gradient(const NodeCall& call) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const LookupOperandPlaces at = lookup_operand_places(1, a.weighted, a.placed > 0);
  const Ids lookup = ids_at(call, at, a.unpooled);
  const std::int64_t columns = columns_of(call[0].type(), lookup);
  std::vector<Sums> sums;
  std::vector<std::vector<bool>> has_terms;
  for (const Type type : call.node.types) {
    sums.emplace_back(type);
    has_terms.emplace_back(type.elements());
  }
  for (const LookupEntry& entry : entries_of(call, at, call.node.types))
    for_each_id(lookup, entry, a.bounds, a.names, [&](const Found& found) {
      for (std::int64_t c = 0; c < entry.width; ++c) {
        const std::int64_t to = found.row * entry.width + c;
        sums[entry.table].add(to, found.scale * call[0].element(found.place * columns + entry.column + c));
        has_terms[entry.table][to] = true;
      }
    });
  std::vector<Array> results;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    for (std::size_t i = 0; i < has_terms[t].size(); ++i)
      if (!has_terms[t][i]) sums[t].add(static_cast<std::int64_t>(i), 0);
    results.push_back(sums[t].round());
  }
  return results;
}

std::vector<Array> embedding_weights_gradient(const NodeCall& call) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const int count = lookup_tables(call.node);
  const LookupOperandPlaces at = lookup_operand_places(count + 1, false, a.placed > 0);
  const Ids lookup = ids_at(call, at, a.unpooled);
  const Array& cotangent = call[count];
  const std::int64_t columns = columns_of(cotangent.type(), lookup);
  std::vector<double> sums(call.type().elements());
  for (const LookupEntry& entry : entries_of(call, at, types_of_first(call, count))) {
    const Array& table = call[static_cast<int>(entry.table)];
    for_each_id(lookup, entry, a.bounds, a.names, [&](const Found& found) {
      double sum = 0;
      for (std::int64_t c = 0; c < entry.width; ++c)
        sum += table.element(found.row * entry.width + c) * cotangent.element(found.place * columns + entry.column + c);
      sums[found.position] += found.scale * sum;
    });
  }
  Array result(call.type());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (call.type().dtype() == DType::f64)
      result.data<double>()[i] = sums[i];
    else
      result.data<float>()[i] = static_cast<float>(sums[i]);
  }
  return one(std::move(result));
}

namespace {

// The rows of an array, each as an array of its own.
Array row_of(const Array& rows, std::int64_t row) {
  const Type type = row_type(rows.type());
  const std::size_t bytes = type.bytes();
  return Array(type, rows.bytes().subspan(row * bytes, bytes));
}

Array random_bits(std::uint64_t key, std::uint64_t counter, std::int64_t count) {
  const std::uint64_t state[] = {key, counter};
  const random::Philox generator(state, count, sizeof(std::uint32_t));
  Array bits(Type(DType::u32, {count}));
  for (std::int64_t i = 0; i < count; ++i)
    bits.data<std::uint32_t>()[i] = static_cast<std::uint32_t>(generator.bits(i));
  return bits;
}

void set_row(Array& rows, std::int64_t row, const Array& value) {
  std::ranges::copy(value.bytes(), rows.bytes().begin() + row * std::ssize(value.bytes()));
}

}  // namespace

std::vector<Array> embedding_update(const NodeCall& call) {
  const auto& a = call.attributes<EmbeddingUpdateAttributes>();
  const UpdateOperands places = update_operands(a);
  const std::vector<Type> tables = types_of_first(call, places.tables);
  const DType pooled = pooled_dtype(tables[0].dtype());
  std::vector<Sums> gradients;
  std::vector<std::vector<bool>> touched;
  std::vector<std::vector<std::uint64_t>> counters;  // of the random bits of the rows that are touched
  for (const Type table : tables) {
    gradients.emplace_back(table.with(pooled));
    touched.emplace_back(table.size(0));
    counters.emplace_back(table.size(0));
  }
  std::vector<LookupEntry> entries = lookup_entries(a, tables);
  for (std::size_t i = 0; i < places.lookups.size(); ++i)
    if (places.lookups[i].pieces >= 0) {
      const std::int64_t table = a.placed_tables[i];
      append_placed_at(entries, call, places.lookups[i], places.lookups[i].unpooled, static_cast<std::int64_t>(i),
                       table, tables[table]);
    }
  for (const LookupEntry& entry : entries) {
    const UpdateOperands::Lookup& at = places.lookups[entry.lookup];
    const Ids lookup = ids_at(call, at, at.unpooled);
    const Array& cotangent = call[at.cotangent];
    const std::int64_t columns = columns_of(cotangent.type(), lookup);
    for_each_id(lookup, entry, a.bounds, a.names, [&](const Found& found) {
      if (!touched[entry.table][found.row])
        counters[entry.table][found.row] =
            places.row_counters < 0
                ? entry.counter(found.row)
                : call[places.row_counters + static_cast<int>(entry.table)].data<std::int64_t>()[found.row];
      touched[entry.table][found.row] = true;
      for (std::int64_t c = 0; c < entry.width; ++c)
        gradients[entry.table].add(found.row * entry.width + c,
                                   found.scale * cotangent.element(found.place * columns + entry.column + c));
    });
  }
  std::vector<Array> results;
  for (int i = 0; i < places.tables * (1 + places.states); ++i) results.push_back(call[i]);
  for (int t = 0; t < places.tables; ++t) {
    const Array gradient = gradients[t].round();
    for (std::int64_t row = 0; row < tables[t].size(0); ++row) {
      if (!touched[t][row]) continue;
      std::vector<Array> inputs{row_of(call[t], row), row_of(gradient, row)};
      for (int i = 0; i < places.states; ++i) inputs.push_back(row_of(call[places.state(t, i)], row));
      if (places.key >= 0)
        inputs.push_back(random_bits(call[places.key].data<std::uint64_t>()[0], counters[t][row], tables[t].size(1)));
      for (std::size_t i = places.numbers; i < call.operands.size(); ++i) inputs.push_back(call[i]);
      const std::vector<Array> next = run(*call.node.regions[a.bodies[t]], pointers(inputs), call.context);
      set_row(results[t], row, next[0]);
      for (int i = 0; i < places.states; ++i) set_row(results[places.state(t, i)], row, next[1 + i]);
    }
  }
  return results;
}

}  // namespace weft::ir::interpreter
