#include <weft/embed/stored_tables.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstring>
#include <utility>

#include <weft/base/half.h>
#include <weft/base/random.h>
#include <weft/embed/stored_rows.h>
#include <weft/ir/ops.h>
#include <weft/jit/dynamic.h>
#include <weft/record/call.h>
#include <weft/record/sync.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/custom_op.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>
#include <weft/tensor/rounding.h>

namespace weft::embed {

namespace {

const CustomOp& exchange_op() {
  static const CustomOp op =
      custom_op("weft_exchange_rows",
                {.compute = StoredRows::exchange,
                 .types = [](std::span<const Type> inputs) { return std::vector(inputs.begin() + 1, inputs.end()); },
                 .has_side_effect = true});
  return op;
}

void check(const record::Call& call, const std::vector<EmbeddingBagConfig>& tables,
           const StoredTablesOptions& options) {
  detail::check_tables(call, tables);
  for (const EmbeddingBagConfig& table : tables) {
    call.require(table.data_type != DType::f64 && byte_size(table.data_type) >= 2, "table \"", table.name, "\" is of ",
                 table.data_type, "; stored tables are of f32, f16 or bf16");
    call.require(!table.init_fn, "table \"", table.name,
                 "\" has an init_fn, which makes all rows at once; use weight_init_min and weight_init_max");
    call.require(table.sparse_update, "table \"", table.name, "\" has sparse_update = false, which updates all rows");
  }
  call.require(options.load_factor > 0 && options.load_factor <= 1, "load_factor must lie in (0, 1], got ",
               options.load_factor);
  call.require(!options.folder.empty(), "no folder for the rows is given");
}

// Makes initial rows of one table, as rand does for a whole one.
struct InitialRows {
  std::int64_t first_row = 0, width = 0;  // first_row: of the table in its group
  std::uint64_t key = 0;
  double low = 0, range = 0;
  DType dtype = DType::f32;

  void make(std::int64_t row, std::span<std::byte> values) const {
    dtype == DType::f32   ? make_as<float>(row, values)
    : dtype == DType::f16 ? make_as<float16>(row, values)
                          : make_as<bfloat16>(row, values);
  }

 private:
  // Rounds after each operation, as kernels do.
  template <class T>
  void make_as(std::int64_t row, std::span<std::byte> values) const {
    constexpr int digits = std::same_as<T, float> ? 24 : std::same_as<T, float16> ? 11 : 8;
    const auto key_words = random::split(key);
    const auto scale = static_cast<float>(T(range)), offset = static_cast<float>(T(low));
    // Philox gives four elements at once; its counter is the number of the block, and the key.
    std::array<std::uint32_t, 4> block = {};
    std::uint64_t known = ~std::uint64_t{0};
    for (std::int64_t column = 0; column < width; ++column) {
      const std::uint64_t element = static_cast<std::uint64_t>((row - first_row) * width + column);
      if (std::exchange(known, element / 4) != element / 4) {
        const auto number = random::split(element / 4);
        block = random::philox4x32(key_words, {number[0], number[1], key_words[0], key_words[1]});
      }
      const float unit = std::ldexp(static_cast<float>(block[element % 4] >> (32 - digits)), -digits);
      const auto product = static_cast<float>(T(unit * scale));
      const T value(product + offset);
      std::memcpy(values.data() + column * sizeof value, &value, sizeof value);
    }
  }
};

std::string described(const std::vector<EmbeddingBagConfig>& tables) {
  std::string text;
  for (const EmbeddingBagConfig& table : tables)
    text += concat(text.empty() ? "" : ", ", table.name, " [", table.num_embeddings, ", ", table.embedding_dim, ']',
                   table.data_type == DType::f32 ? "" : concat(" of ", table.data_type));
  return text;
}

// Returns matrices of one dtype, with other rows [n, width] instead of those in these slots.
std::vector<Tensor> with_rows_of_one_dtype(std::span<const Tensor> matrices, const Tensor& slots,
                                           std::span<const Tensor> rows) {
  const std::int64_t count = slots.elements();
  const Bags bags{.ids = slots, .ends = reshape(arange(1, count + 1, 1, DType::i64), {1, count})};
  const PooledKey alone[] = {{.key = 0, .table = 0}};
  std::vector<TableRows> tables;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    // As if the new rows were gradients of a lookup of the old ones, of which an update need not do more than store them.
    const std::int64_t width = matrices[i].elements() / matrices[i].size(0);
    const Tensor table = reshape(matrices[i], {matrices[i].size(0), width});
    const Tensor looked_up = embedding_bag(std::span(&table, 1), bags, alone);
    const Tensor gradient = grad(sum(looked_up * reshape(rows[i], {count, width}).to(looked_up.dtype())), table);
    tables.push_back({.value = table, .gradient = gradient, .states = {}});
  }
  const auto store = [](std::span<const TableRows> of_row) {
    std::vector<UpdatedRows> stored;
    for (const TableRows& row : of_row) stored.push_back({row.gradient.to(row.value.dtype()), {}});
    return stored;
  };
  std::vector<Tensor> made;
  const std::vector<UpdatedRows> updated = update_rows(tables, store);
  for (std::size_t i = 0; i < updated.size(); ++i) made.push_back(reshape(updated[i].value, matrices[i].shape()));
  return made;
}

// The same for a table and its states, which are of f32 for a table of 16 bits.
std::vector<Tensor> with_rows(std::span<const Tensor> matrices, const Tensor& slots, std::span<const Tensor> rows) {
  const auto differs = [&](const Tensor& matrix) { return matrix.dtype() != matrices[0].dtype(); };
  const std::ptrdiff_t first = std::ranges::find_if(matrices, differs) - matrices.begin();
  std::vector<Tensor> made = with_rows_of_one_dtype(matrices.first(first), slots, rows.first(first));
  if (first < std::ssize(matrices)) {
    const std::vector<Tensor> states = with_rows(matrices.subspan(first), slots, rows.subspan(first));
    made.insert(made.end(), states.begin(), states.end());
  }
  return made;
}

}  // namespace

StoredEmbeddingBagCollection::StoredEmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables,
                                                           StoredTablesOptions options, std::source_location where)
    : configs_(std::move(tables)), options_(std::move(options)), state_(zeros({1}, DType::i64)) {
  const record::Call call("StoredEmbeddingBagCollection", where);
  check(call, configs_, options_);
  output_keys_ = detail::result_keys(configs_);
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> rows;  // of each group
  for (const EmbeddingBagConfig& table : configs_) {
    keys.push_back(random::default_generator().next().bits);
    const auto found = std::ranges::find(groups_, table.embedding_dim, &Group::width);
    const std::size_t group = found - groups_.begin();
    if (found == groups_.end()) {
      groups_.push_back({.name = concat("rows_", table.embedding_dim), .width = table.embedding_dim});
      rows.push_back(0);
    }
    places_.push_back({group, rows[group]});
    rows[group] += table.num_embeddings;
    output_widths_.insert(output_widths_.end(), table.feature_names.size(), table.embedding_dim);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.slots = std::max<std::int64_t>(1, std::llround(options_.load_factor * static_cast<double>(rows[g])));
    group.rows.reset(zeros({group.slots, group.width}, configs_[0].data_type));
    group.rows.sparse_update = true;
    group.versions.reset(zeros({rows[g]}, DType::u8));
    group.versions.requires_grad = false;
    if (byte_size(configs_[0].data_type) == 2) {
      group.counters.reset(zeros({group.slots}, DType::i64));
      group.rows.row_counters.emplace(group.counters);
    }
  }
  state_.requires_grad = keys_.requires_grad = false;
  keys_.reset(from_vector(std::move(keys), {std::ssize(configs_)}));
  known_keys_ = keys_;
}

StoredEmbeddingBagCollection::StoredEmbeddingBagCollection(StoredEmbeddingBagCollection&&) noexcept = default;
StoredEmbeddingBagCollection::~StoredEmbeddingBagCollection() = default;

void StoredEmbeddingBagCollection::keep(const std::vector<NamedParameter>& states, std::source_location where) {
  const record::Call call("StoredEmbeddingBagCollection.keep", where);
  call.require(!stored_, "rows have been read already: call it before the first batch");
  knows_states_ = true;
  for (Group& group : groups_)
    for (const NamedParameter& state : states) {
      const Type type = state.parameter->type();
      const std::string prefix = concat(group.rows.name(), '.');
      if (!state.name.starts_with(prefix) || type.rank() == 0 || type.dim(0) != Dim(group.slots)) continue;
      group.states.emplace_back(*state.parameter);
    }
}

// Returns the matrix of the rows of a group, and those of its states.
std::vector<Tensor> StoredEmbeddingBagCollection::parts(const Group& group) const {
  std::vector<Tensor> tensors{group.rows};
  for (const ParameterRef& state : group.states) {
    require(state.get() != nullptr, "StoredEmbeddingBagCollection: an optimizer whose state is kept was destroyed");
    tensors.push_back(*state.get());
  }
  return tensors;
}

StoredRows& StoredEmbeddingBagCollection::stored() {
  if (stored_) return *stored_;
  const std::vector<std::uint64_t> keys = keys_.unobserved().to_vector<std::uint64_t>();
  std::vector<StoredGroup> groups;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    StoredGroup& stored = groups.emplace_back();
    stored.width = group.width;
    stored.rows = group.versions.type().elements();
    stored.slots = group.slots;
    for (const Tensor& part : parts(group)) stored.parts.push_back(part.type().bytes() / group.slots);
    std::vector<InitialRows> initial;
    for (std::size_t t = 0; t < configs_.size(); ++t) {
      if (places_[t].group != g) continue;
      const auto [low, high] = detail::initial_range(configs_[t]);
      initial.push_back({.first_row = places_[t].first_row,
                         .width = group.width,
                         .key = keys[t],
                         .low = low,
                         .range = high - low,
                         .dtype = configs_[t].data_type});
    }
    stored.initial = [initial = std::move(initial)](std::int64_t row, std::span<std::byte> values) {
      std::prev(std::ranges::upper_bound(initial, row, {}, &InitialRows::first_row))->make(row, values);
    };
  }
  std::string description = described(configs_);
  for (const StoredGroup& group : groups)
    description += concat("; ", group.name(), ": ", group.record_bytes(), " bytes");
  stored_ = std::make_unique<StoredRows>(options_.folder, std::move(description), std::move(groups));
  return *stored_;
}

void StoredEmbeddingBagCollection::restore_if_loaded() {
  if (&keys_.unobserved().impl() == &known_keys_.impl()) return;
  stored_.reset();  // its initial rows have other keys
  std::vector<RowFile::Versions> versions;
  for (const Group& group : groups_) versions.push_back(group.versions.unobserved().to_vector<std::uint8_t>());
  stored().restore(state_.unobserved().to_vector<std::int64_t>()[0], std::move(versions));
  known_keys_ = keys_.unobserved();
}

void StoredEmbeddingBagCollection::open(std::source_location where) {
  open(record::Call("StoredEmbeddingBagCollection.open", where));
}

void StoredEmbeddingBagCollection::open(const record::Call& call) {
  call.require(
      knows_states_,
      "call keep(optimizer.state()) before the first batch, so that the state of a row goes where the row goes");
  restore_if_loaded();
  stored().begin();
}

StoredFeatures StoredEmbeddingBagCollection::prepare(const KeyedJaggedTensor& features, std::source_location where) {
  const record::Call call("StoredEmbeddingBagCollection.prepare", where);
  open(call);
  call.require(!options_.is_weighted || features.weights().defined(),
               "the collection is weighted, but the features have no weights");
  const std::vector<std::int64_t> ids = features.values().to_vector<std::int64_t>();
  const std::vector<std::int64_t> ends = features.ends().to_vector<std::int64_t>();
  const std::vector<float> weights =
      options_.is_weighted ? features.weights().to_vector<float>() : std::vector<float>();
  const std::int64_t batch = features.batch();
  std::vector<std::vector<std::int64_t>> rows(groups_.size());
  std::vector<std::int64_t> lengths;
  std::vector<float> weights_of_rows;
  struct Run {
    std::size_t group;
    std::int64_t first, count;
  };
  std::vector<Run> runs;  // of the rows of a group, for each feature of each table
  const std::vector<std::vector<std::int64_t>> keys = detail::keys_of_tables(call, configs_, features);
  for (std::size_t t = 0; t < configs_.size(); ++t)
    for (const std::int64_t key : keys[t]) {
      std::vector<std::int64_t>& to = rows[places_[t].group];
      runs.push_back({places_[t].group, std::ssize(to), 0});
      for (std::int64_t sample = 0; sample < batch; ++sample) {
        const std::int64_t bag = key * batch + sample, begin = bag == 0 ? 0 : ends[bag - 1];
        lengths.push_back(ends[bag] - begin);
        for (std::int64_t i = begin; i < ends[bag]; ++i) {
          if (ids[i] < 0 || ids[i] >= configs_[t].num_embeddings)
            ir::fail_id(detail::joined(features.keys()), key, sample, ids[i], configs_[t].num_embeddings);
          to.push_back(places_[t].first_row + ids[i]);
          if (options_.is_weighted) weights_of_rows.push_back(weights[i]);
        }
      }
      runs.back().count = std::ssize(to) - runs.back().first;
    }
  StoredRows::Prepared prepared = stored().prepare(rows);  // rows become slots
  std::vector<std::int64_t> slots;
  for (const Run& run : runs) {
    const auto first = rows[run.group].begin() + run.first;
    slots.insert(slots.end(), first, first + run.count);
  }
  StoredFeatures made;
  IdWeights given;
  if (options_.is_weighted) given = std::move(weights_of_rows);
  made.features_ = KeyedJaggedTensor(output_keys_, std::move(slots), lengths, std::move(given), where);
  made.number_ = from_vector(std::vector<std::int64_t>{prepared.batch}, {1});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::int64_t count = std::ssize(prepared.slots[g]);
    const auto give = [&](std::vector<Tensor>& to, std::vector<std::int64_t> numbers) {
      to.push_back(from_vector(std::move(numbers), {count}));
      mark_dynamic(to.back(), 0, {.name = concat("exchanged rows of width ", groups_[g].width)}, where);
    };
    give(made.slots_, std::move(prepared.slots[g]));
    if (groups_[g].counters.defined()) give(made.counters_, counters_of(g, prepared.coming[g]));
  }
  return made;
}

// Returns where the random bits of rows begin: the same numbers as those of tables in memory.
std::vector<std::int64_t> StoredEmbeddingBagCollection::counters_of(std::size_t group,
                                                                    std::span<const std::int64_t> rows) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> tables;  // the first row of each, and its counter
  for (std::size_t t = 0; t < configs_.size(); ++t)
    if (places_[t].group == group) tables.emplace_back(places_[t].first_row, rounding_counter(configs_[t].name));
  const std::int64_t step = ir::counters_of_row(groups_[group].width);
  std::vector<std::int64_t> counters;
  for (const std::int64_t row : rows) {
    const auto [first_row, first_counter] =
        *std::prev(std::ranges::upper_bound(tables, row, {}, &std::pair<std::int64_t, std::int64_t>::first));
    counters.push_back(first_counter + step * (row - first_row));
  }
  return counters;
}

void StoredEmbeddingBagCollection::discard_prepared() {
  if (stored_) stored_->discard_prepared();
}

ResidentFeatures StoredEmbeddingBagCollection::exchange(const StoredFeatures& features, std::source_location where) {
  const Scope scope = enter();
  const record::Call call("StoredEmbeddingBagCollection.exchange", where);
  call.require(features.slots_.size() == groups_.size(), "the features are not prepared by this collection");
  std::vector<Tensor> leaving{features.number_};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const Tensor& part : parts(groups_[g])) leaving.push_back(stop_gradient(take(part, features.slots_[g])));
  const std::vector<Tensor> coming = exchange_op().apply(leaving, where);
  std::size_t at = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const std::vector<Tensor> before = parts(group);
    const std::span of_group = std::span(coming).subspan(at, before.size());
    at += before.size();
    const std::vector<Tensor> after = with_rows(before, features.slots_[g], of_group);
    group.rows = stop_gradient(after[0]);
    for (std::size_t i = 1; i < after.size(); ++i) *group.states[i - 1].get() = stop_gradient(after[i]);
    if (group.counters.defined())
      group.counters = index_copy(group.counters, 0, features.slots_[g], features.counters_[g]);
  }
  state_ = zeros({1}, DType::i64);
  return ResidentFeatures(features.features_);
}

KeyedTensor StoredEmbeddingBagCollection::operator()(const ResidentFeatures& features,
                                                     std::source_location where) const {
  const Scope scope = enter();
  const record::Call call("StoredEmbeddingBagCollection", where);
  std::vector<Tensor> tables;
  for (const Group& group : groups_) tables.push_back(group.rows);
  std::vector<PooledKey> pooled;
  for (std::size_t t = 0; t < configs_.size(); ++t)
    for (std::size_t f = 0; f < configs_[t].feature_names.size(); ++f)
      pooled.push_back({.key = std::ssize(pooled),
                        .table = static_cast<std::int64_t>(places_[t].group),
                        .mean = configs_[t].pooling == Pooling::mean});
  const std::string names = detail::joined(output_keys_);
  return {output_keys_, output_widths_,
          embedding_bag(tables, features.features_.bags(), pooled, {.names = names}, where), where};
}

void StoredEmbeddingBagCollection::save(const std::function<void()>& save_checkpoint) {
  restore_if_loaded();
  std::vector<std::vector<Tensor>> tensors;  // keep the bytes
  std::vector<StoredRows::Matrices> matrices;
  for (const Group& group : groups_) {
    tensors.push_back(parts(group));
    StoredRows::Matrices& of_group = matrices.emplace_back();
    for (const Tensor& part : tensors.back()) of_group.push_back(part.bytes());
  }
  const std::int64_t state = stored().write_back(matrices);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<std::uint8_t>& versions = stored().versions(g);
    groups_[g].versions = from_vector(versions, {std::ssize(versions)});
  }
  state_ = from_vector(std::vector{state}, {1});
  save_checkpoint();
  stored().saved();
}

StoredRowStats StoredEmbeddingBagCollection::stats() const { return stored_ ? stored_->stats() : StoredRowStats(); }

}  // namespace weft::embed
