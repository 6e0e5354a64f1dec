// Lookups in embedding tables and their updates. Sums are taken in f64 and rounded once.
#include <cmath>

#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// One id of a bag that is a row of its table.
struct Found {
  const LookupEntry& entry;
  std::int64_t sample, position, row;  // position: of the id among all ids
  double scale;                        // weight and mean
};

struct Ids {
  const Array *ids, *ends, *weights = nullptr;  // weights: null if there are none
};

std::int64_t integer(const Array& array, std::int64_t i) {
  return array.dtype() == DType::i32 ? array.data<std::int32_t>()[i] : array.data<std::int64_t>()[i];
}

// Calls f(Found) for the ids of an entry, in order.
template <class F>
void for_each_id(const Ids& lookup, const LookupEntry& entry, std::int64_t rows, IdBounds bounds,
                 std::string_view names, F&& f) {
  const std::int64_t batch = lookup.ends->type().size(1), count = lookup.ids->size();
  for (std::int64_t sample = 0; sample < batch; ++sample) {
    const std::int64_t bag = entry.key * batch + sample;
    const std::int64_t begin = bag == 0 ? 0 : integer(*lookup.ends, bag - 1), end = integer(*lookup.ends, bag);
    if (begin < 0 || begin > end || end > count) fail_ends(names, entry.key, sample, begin, end, count);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t id = integer(*lookup.ids, i);
      if (id < 0 || id >= rows) {
        if (bounds == IdBounds::ERROR) fail_id(names, entry.key, sample, id, rows);
        continue;
      }
      const double weight = lookup.weights ? lookup.weights->element(i) : 1;
      f(Found{entry, sample, i, id, entry.mean ? weight / static_cast<double>(end - begin) : weight});
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
  const std::size_t count = call.operands.size() - (a.weighted ? 3 : 2);
  const Ids lookup{&call[count], &call[count + 1], a.weighted ? &call[count + 2] : nullptr};
  const std::int64_t columns = call.type().size(1);
  Sums sums(call.type());
  std::vector<bool> has_terms(call.type().elements());
  for (const LookupEntry& entry : lookup_entries(a, types_of_first(call, count))) {
    const Array& table = call[entry.table];
    for_each_id(lookup, entry, table.type().size(0), a.bounds, a.names, [&](const Found& found) {
      for (std::int64_t c = 0; c < entry.width; ++c) {
        const std::int64_t at = found.sample * columns + entry.column + c;
        sums.add(at, found.scale * table.element(found.row * entry.width + c));
        has_terms[at] = true;
      }
    });
  }
  for (std::size_t i = 0; i < has_terms.size(); ++i)
    if (!has_terms[i]) sums.add(static_cast<std::int64_t>(i), 0);  // an empty bag gives +0
  return one(sums.round());
}

std::vector<Array> embedding_bag_gradient(const NodeCall& call) {
  const auto& a = call.attributes<EmbeddingAttributes>();
  const Ids lookup{&call[1], &call[2], a.weighted ? &call[3] : nullptr};
  const std::int64_t columns = call[0].type().size(1);
  std::vector<Sums> sums;
  std::vector<std::vector<bool>> has_terms;
  for (const Type type : call.node.types) {
    sums.emplace_back(type);
    has_terms.emplace_back(type.elements());
  }
  for (const LookupEntry& entry : lookup_entries(a, call.node.types))
    for_each_id(lookup, entry, call.type(static_cast<int>(entry.table)).size(0), a.bounds, a.names,
                [&](const Found& found) {
                  for (std::int64_t c = 0; c < entry.width; ++c) {
                    const std::int64_t at = found.row * entry.width + c;
                    sums[entry.table].add(at, found.scale * call[0].element(found.sample * columns + entry.column + c));
                    has_terms[entry.table][at] = true;
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
  const std::size_t count = call.operands.size() - 3;
  const Ids lookup{&call[count + 1], &call[count + 2]};
  const Array& cotangent = call[count];
  const std::int64_t columns = cotangent.type().size(1);
  std::vector<double> sums(call.type().elements());
  for (const LookupEntry& entry : lookup_entries(a, types_of_first(call, count))) {
    const Array& table = call[entry.table];
    for_each_id(lookup, entry, table.type().size(0), a.bounds, a.names, [&](const Found& found) {
      double sum = 0;
      for (std::int64_t c = 0; c < entry.width; ++c)
        sum +=
            table.element(found.row * entry.width + c) * cotangent.element(found.sample * columns + entry.column + c);
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
  for (const Type table : tables) {
    gradients.emplace_back(table.with(pooled));
    touched.emplace_back(table.size(0));
  }
  for (const LookupEntry& entry : lookup_entries(a, tables)) {
    const UpdateOperands::Lookup& at = places.lookups[entry.lookup];
    const Ids lookup{&call[at.ids], &call[at.ends], at.weights < 0 ? nullptr : &call[at.weights]};
    const Array& cotangent = call[at.cotangent];
    const std::int64_t columns = cotangent.type().size(1);
    for_each_id(lookup, entry, tables[entry.table].size(0), a.bounds, a.names, [&](const Found& found) {
      touched[entry.table][found.row] = true;
      for (std::int64_t c = 0; c < entry.width; ++c)
        gradients[entry.table].add(found.row * entry.width + c,
                                   found.scale * cotangent.element(found.sample * columns + entry.column + c));
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
      for (std::size_t i = places.numbers; i < call.operands.size(); ++i) inputs.push_back(call[i]);
      const std::vector<Array> next = run(*call.node.regions[a.bodies[t]], pointers(inputs), call.context);
      set_row(results[t], row, next[0]);
      for (int i = 0; i < places.states; ++i) set_row(results[places.state(t, i)], row, next[1 + i]);
    }
  }
  return results;
}

}  // namespace weft::ir::interpreter
