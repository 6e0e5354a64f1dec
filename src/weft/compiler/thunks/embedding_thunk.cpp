#include <weft/compiler/thunks/embedding_thunk.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/compiler/thunks/embedding_plan.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::metrics {
inline constinit Counter skipped_ids("embedding::SkippedIds");  // ids that are no row, of lookups that skip them
}

namespace weft::compiler {

using ir::Node;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

constexpr std::int64_t worthwhile_elements_of_rows = 16384;  // for another thread
constexpr std::int64_t ids_ahead = 12;                       // so many rows are loaded before they are needed

struct Tables {
  std::vector<Type> types;
  DType dtype, pooled;
};

Tables tables_at(std::span<const Type> types, const SizeValues& sizes) {
  Tables tables{{}, types[0].dtype(), ir::pooled_dtype(types[0].dtype())};
  for (const Type type : types) tables.types.push_back(sizes(type));
  return tables;
}

std::vector<Type> first_types(const Node& node, std::size_t count) {
  std::vector<Type> types;
  for (const ir::Value v : node.operands.first(count)) types.push_back(v.type());
  return types;
}

std::vector<std::int64_t> widths_of(std::span<const Type> tables) {
  std::vector<std::int64_t> widths;
  for (const Type table : tables) widths.push_back(table.size(1));
  return widths;
}

// Calls f with a float or a double.
template <class F>
void with_real(DType pooled, F&& f) {
  pooled == DType::f64 ? f(double{}) : f(float{});
}

std::int64_t samples_per_task(const LookupOperands& lookup, std::int64_t columns) {
  const std::int64_t elements = std::max<std::int64_t>(1, columns + lookup.count);
  return std::max<std::int64_t>(1, worthwhile_elements_of_rows / elements);
}

// Writes a sum, rounded to the dtype of its table.
template <class Real>
void round_to(std::byte* to, DType dtype, std::span<const Real> sum) {
  visit(dtype, [&]<class T>(T) {
    if constexpr (is_float_type<T>)
      std::ranges::transform(sum, reinterpret_cast<T*>(to), [](Real x) { return convert_element<T>(x); });
  });
}

class EmbeddingBagThunk final : public runtime::Thunk {
 public:
  EmbeddingBagThunk(LookupPlan plan, LookupOperands lookup, Tables tables, std::int64_t columns,
                    std::shared_ptr<const RowSums> sums, std::span<const Slice> from, const Slice& to)
      : plan_(std::move(plan)),
        lookup_(lookup),
        tables_(std::move(tables)),
        columns_(columns),
        sums_(std::move(sums)),
        from_(from.begin(), from.end()),
        to_(to) {}

  void run(const runtime::Launch& launch) const override {
    with_real(tables_.pooled, [&]<class Real>(Real) { pool<Real>(launch); });
  }

 private:
  template <class Real>
  void pool(const runtime::Launch& launch) const {
    const LookupIds ids = lookup_.ids(launch, from_);
    const LaunchPlan plan(plan_, {&lookup_, 1}, launch, from_);
    const std::vector<Columns> gaps = lookup_.unpooled ? std::vector<Columns>() : columns_without_piece(*plan);
    if (lookup_.unpooled) clear_other_ids<Real>(launch, ids, *plan);
    std::atomic<std::int64_t> skipped = 0;
    runtime::parallel_for(ids.batch, samples_per_task(lookup_, columns_), [&](std::int64_t begin, std::int64_t end) {
      RowAdders<Real> adders(*sums_, tables_.types.size());
      for (const Columns& gap : gaps)
        for (std::int64_t sample = begin; sample < end; ++sample)
          std::fill_n(launch.at<Real>(to_) + sample * columns_ + gap.begin, gap.end - gap.begin, Real{0});
      // One entry after the other: rows that are frequent in a table stay in the near caches meanwhile.
      for (const ir::LookupEntry& entry : plan->entries) {
        RowAdder<Real>& adder = adders.of_table(entry.table);
        const auto look_up = [&]<class Id>(Id) {
          return lookup_.unpooled ? take<Id>(launch, ids, *plan, entry, begin, end, adder)
                                  : pool<Id>(launch, ids, *plan, entry, begin, end, adder);
        };
        const std::int64_t bad = ids.ids.wide ? look_up(std::int64_t{}) : look_up(std::int32_t{});
        if (bad != 0) skipped += bad;
      }
    });
    if (skipped != 0) report(skipped);
  }

  struct Columns {
    std::int64_t begin, end;
  };
  // Returns the columns of the result that no entry writes: those of slots without a piece.
  std::vector<Columns> columns_without_piece(const LookupPlan& plan) const {
    std::vector<Columns> written, gaps;
    for (const ir::LookupEntry& entry : plan.entries) written.push_back({entry.column, entry.column + entry.width});
    std::ranges::sort(written, {}, &Columns::begin);
    written.push_back({columns_, columns_});
    std::int64_t end = 0;
    for (const Columns& next : written) {
      if (next.begin > end) gaps.push_back({end, next.begin});
      end = std::max(end, next.end);
    }
    return gaps;
  }

  // Pools some bags of an entry; returns how many ids were out of bounds. Id is the type of the ids.
  template <class Id, class Real>
  std::int64_t pool(const runtime::Launch& launch, const LookupIds& lookup, const LookupPlan& plan,
                    const ir::LookupEntry& entry, std::int64_t first, std::int64_t last, RowAdder<Real>& adder) const {
    const Id* const ids = reinterpret_cast<const Id*>(lookup.ids.at);
    const std::byte* const table = launch.at(from_[entry.table]);
    const std::int64_t row_bytes = entry.width * byte_size(tables_.dtype);
    const Real* const weights = reinterpret_cast<const Real*>(lookup.weights);
    std::int64_t skipped = 0;
    for (std::int64_t sample = first; sample < last; ++sample) {
      const auto [begin, end] = lookup.bag(entry.key, sample, plan.names);
      std::byte* const to =
          launch.at(to_) + (sample * columns_ + entry.column) * static_cast<std::int64_t>(sizeof(Real));
      const Real factor = entry.mean ? 1 / static_cast<Real>(end - begin) : 1;
      adder.begin(to);
      for (std::int64_t i = begin; i < end; ++i) {
        // The ids of the samples behind this one come next.
        if (const auto next = entry.row(i + ids_ahead < lookup.count ? ids[i + ids_ahead] : -1))
          prefetch_row(table + *next * row_bytes, row_bytes);
        if (const std::int64_t row = row_of(plan, entry, sample, ids[i]); row >= 0)
          adder.add(table + row * row_bytes, weights ? weights[i] * factor : factor);
        else if (!entry.is_in_bounds(ids[i]))
          ++skipped;
      }
      if (!adder.end() && entry.width > 0) std::memset(to, 0, entry.width * sizeof(Real));
    }
    return skipped;
  }

  // Writes the rows of the ids in some bags of an entry, unpooled; returns how many ids were out of bounds.
  template <class Id, class Real>
  std::int64_t take(const runtime::Launch& launch, const LookupIds& lookup, const LookupPlan& plan,
                    const ir::LookupEntry& entry, std::int64_t first, std::int64_t last, RowAdder<Real>& adder) const {
    const Id* const ids = reinterpret_cast<const Id*>(lookup.ids.at);
    const std::byte* const table = launch.at(from_[entry.table]);
    const std::int64_t row_bytes = entry.width * byte_size(tables_.dtype);
    const Real* const weights = reinterpret_cast<const Real*>(lookup.weights);
    const bool is_placed = lookup_.at.pieces >= 0, goes_on = is_placed && follows_another(plan, entry);
    std::int64_t skipped = 0;
    for (std::int64_t sample = first; sample < last; ++sample) {
      const auto [begin, end] = lookup.bag(entry.key, sample, plan.names);
      const Real factor = entry.mean ? 1 / static_cast<Real>(end - begin) : 1;
      for (std::int64_t i = begin; i < end; ++i) {
        if (const auto next = entry.row(i + ids_ahead < lookup.count ? ids[i + ids_ahead] : -1))
          prefetch_row(table + *next * row_bytes, row_bytes);
        std::byte* const to = launch.at(to_) + (i * columns_ + entry.column) * static_cast<std::int64_t>(sizeof(Real));
        if (const std::int64_t row = row_of(plan, entry, sample, ids[i]); row >= 0) {
          adder.begin(to, goes_on);
          adder.add(table + row * row_bytes, weights ? weights[i] * factor : factor);
          adder.end();
          continue;
        }
        if (!is_placed && entry.width > 0) std::memset(to, 0, entry.width * sizeof(Real));
        if (!entry.is_in_bounds(ids[i])) ++skipped;
      }
    }
    return skipped;
  }

  // Whether an earlier entry may have written the same place.
  static bool follows_another(const LookupPlan& plan, const ir::LookupEntry& entry) {
    return std::ranges::any_of(plan.entries, [&](const ir::LookupEntry& other) {
      return &other < &entry && other.key == entry.key && other.column == entry.column;
    });
  }

  // Clears the rows of an unpooled lookup that take() may not write: those of keys without an entry, and padding; if rows are placed, all
  // rows.
  template <class Real>
  void clear_other_ids(const runtime::Launch& launch, const LookupIds& lookup, const LookupPlan& plan) const {
    const auto clear = [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t row = columns_ * static_cast<std::int64_t>(sizeof(Real));
      runtime::parallel_for(
          std::max<std::int64_t>(0, (end - begin) * row), 1 << 18,
          [&](std::int64_t from, std::int64_t to) { std::memset(launch.at(to_) + begin * row + from, 0, to - from); });
    };
    if (lookup_.at.pieces >= 0 || lookup.batch == 0) return clear(0, lookup.count);
    std::vector<bool> has_entry(lookup.keys);
    for (const ir::LookupEntry& entry : plan.entries) has_entry[entry.key] = true;
    const std::int64_t samples = lookup.batch / lookup.blocks, count = lookup.count / lookup.blocks;
    for (std::int64_t block = 0; block < lookup.blocks; ++block) {
      std::int64_t begin = 0;
      for (std::int64_t key = 0; key <= lookup.keys; ++key) {  // the last one is padding
        const std::int64_t bag = (block * lookup.keys + key + 1) * samples - 1;
        const std::int64_t end = key < lookup.keys ? std::clamp(lookup.ends[bag], begin, count) : count;
        if (key == lookup.keys || !has_entry[key]) clear(block * count + begin, block * count + end);
        begin = end;
      }
    }
  }

  // Warns once; the counter goes on.
  void report(std::int64_t skipped) const {
    if (plan_.bounds == ir::IdBounds::SKIP) return;
    metrics::skipped_ids.add(skipped);
    if (plan_.bounds == ir::IdBounds::WARN && !warned_.exchange(true))
      WEFT_LOG(warnings, info.name, " (", info.source, ") skipped ", skipped, " ids of ", lookup_.count,
               " that are no rows of their tables; the counter embedding::SkippedIds counts all");
  }

  LookupPlan plan_;
  LookupOperands lookup_;
  Tables tables_;
  std::int64_t columns_;
  std::shared_ptr<const RowSums> sums_;
  std::vector<Slice> from_;
  Slice to_;
  mutable std::atomic<bool> warned_ = false;
};

// The gradient of tables, with zeros in all rows that do not occur.
class EmbeddingBagGradientThunk final : public runtime::Thunk {
 public:
  EmbeddingBagGradientThunk(LookupPlan plan, LookupOperands lookup, Tables tables, std::shared_ptr<const RowSums> sums,
                            std::span<const Slice> from, std::span<const Slice> to, const Slice& scratch)
      : plan_(std::move(plan)),
        lookup_(lookup),
        tables_(std::move(tables)),
        sums_(std::move(sums)),
        from_(from.begin(), from.end()),
        to_(to.begin(), to.end()),
        scratch_(scratch) {}

  void run(const runtime::Launch& launch) const override {
    for (const Slice& slice : to_)
      runtime::parallel_for(static_cast<std::int64_t>(slice.bytes), 1 << 18, [&](std::int64_t begin, std::int64_t end) {
        std::memset(launch.at(slice) + begin, 0, end - begin);
      });
    with_real(tables_.pooled, [&]<class Real>(Real) { sum_rows<Real>(launch); });
  }

 private:
  template <class Real>
  void sum_rows(const runtime::Launch& launch) const {
    const LookupIds ids = lookup_.ids(launch, from_);
    const LaunchPlan plan(plan_, {&lookup_, 1}, launch, from_);
    auto* const memory = scratch_.bytes ? launch.at<Occurrence<Real>>(scratch_) : nullptr;
    const RowOccurrences<Real> rows(*plan, {&ids, 1}, {memory, scratch_.bytes / sizeof(Occurrence<Real>)});
    const Real* const cotangent = launch.at<Real>(from_[lookup_.cotangent]);
    runtime::parallel_for(rows.buckets(), 1, [&](std::int64_t begin, std::int64_t end) {
      RowAdders<Real> adders(*sums_, tables_.types.size());
      RowGroups<Real> groups;
      std::vector<Real> buffer;
      for (std::int64_t b = begin; b < end; ++b) {
        const auto [table, list] = rows.bucket(b);
        const std::int64_t width = tables_.types[table].size(1), row_bytes = width * byte_size(tables_.dtype);
        buffer.resize(width);
        auto* const sum = reinterpret_cast<std::byte*>(buffer.data());
        groups.group(list);
        for (std::size_t row = 0; row < groups.rows(); ++row) {
          const std::span<const Occurrence<Real>> all = groups.occurrences();
          RowAdder<Real>& adder = adders.of_table(table);
          adder.begin(sum);
          for (std::size_t i = groups.begin(row); i < groups.end(row); ++i) {
            const std::int64_t column = plan->entries[all[i].entry].column;
            adder.add(reinterpret_cast<const std::byte*>(cotangent + all[i].place * lookup_.columns + column),
                      all[i].scale);
          }
          adder.end();
          round_to<Real>(launch.at(to_[table]) + all[groups.begin(row)].row * row_bytes, tables_.dtype, buffer);
        }
      }
    });
  }

  LookupPlan plan_;
  LookupOperands lookup_;
  Tables tables_;
  std::shared_ptr<const RowSums> sums_;
  std::vector<Slice> from_, to_;
  Slice scratch_;
};

// The gradient of weights: the products of rows with the cotangents of their bags.
class EmbeddingWeightsGradientThunk final : public runtime::Thunk {
 public:
  EmbeddingWeightsGradientThunk(LookupPlan plan, LookupOperands lookup, Tables tables, std::span<const Slice> from,
                                const Slice& to)
      : plan_(std::move(plan)), lookup_(lookup), tables_(std::move(tables)), from_(from.begin(), from.end()), to_(to) {}

  void run(const runtime::Launch& launch) const override {
    if (to_.bytes) std::memset(launch.at(to_), 0, to_.bytes);
    visit(tables_.dtype, [&]<class T>(T) {
      if constexpr (is_float_type<T>) with_real(tables_.pooled, [&]<class Real>(Real) { multiply<T, Real>(launch); });
    });
  }

 private:
  template <class T, class Real>
  void multiply(const runtime::Launch& launch) const {
    const LookupIds ids = lookup_.ids(launch, from_);
    const LaunchPlan plan(plan_, {&lookup_, 1}, launch, from_);
    const Real* const cotangents = launch.at<Real>(from_[lookup_.cotangent]);
    Real* const to = launch.at<Real>(to_);
    runtime::parallel_for(
        ids.batch, samples_per_task(lookup_, lookup_.columns), [&](std::int64_t begin, std::int64_t end) {
          for (const ir::LookupEntry& entry : plan->entries) {
            const T* const table = launch.at<T>(from_[entry.table]);
            for (std::int64_t sample = begin; sample < end; ++sample) {
              const auto [first, last] = ids.bag(entry.key, sample, plan->names);
              for (std::int64_t i = first; i < last; ++i) {
                const std::int64_t row = row_of(*plan, entry, sample, ids.ids[i]);
                if (row < 0) continue;
                const Real* const cotangent =
                    cotangents + (lookup_.unpooled ? i : sample) * lookup_.columns + entry.column;
                double sum = 0;
                for (std::int64_t c = 0; c < entry.width; ++c)
                  sum += static_cast<double>(table[row * entry.width + c]) * static_cast<double>(cotangent[c]);
                to[i] += static_cast<Real>(entry.mean ? sum / static_cast<double>(last - first) : sum);
              }
            }
          }
        });
  }

  LookupPlan plan_;
  LookupOperands lookup_;
  Tables tables_;
  std::vector<Slice> from_;
  Slice to_;
};

// Returns the operands of a lookup from `first` on.
LookupOperands operands_of(const Node& node, const SizeValues& sizes, int first, const Tables& tables,
                           int cotangent = -1) {
  const auto& a = node.attributes<ir::EmbeddingAttributes>();
  return lookup_operands(node, sizes, ir::lookup_operand_places(first, a.weighted, a.placed > 0),
                         {.repeats = a.placed, .table = 0, .table_type = tables.types[0]}, a.unpooled, cotangent);
}

// Returns the number of elements of a pooled row, with all of its parts and slots.
std::int64_t columns_of_row(Type pooled, const LookupOperands& lookup) {
  const std::int64_t rows = lookup.unpooled ? lookup.count : lookup.batch;
  return rows == 0 ? 0 : pooled.elements() / rows;
}

// Reads a row for each id and writes what is pooled.
Size moved_bytes(const ir::Value ids, std::span<const Type> tables, Type pooled, int passes) {
  std::int64_t width = 0;
  for (const Type table : tables) width += table.dim(1).is_constant() ? table.dim(1).value() : 0;
  const std::int64_t row = width / std::ssize(tables) * byte_size(tables[0].dtype());
  return product_of(ids.type().dims()) * Size(passes * row + 16) +
         product_of(pooled.dims()) * Size(byte_size(pooled.dtype()));
}

}  // namespace

bool has_rows_of_known_width(const Node& node) {
  const auto is_known = [](Type type) {
    const auto row = type.dims().subspan(std::min<std::size_t>(type.rank(), 1));
    return std::ranges::all_of(row, &Dim::is_constant);
  };
  const auto* a = node.attributes_if<ir::EmbeddingAttributes>();
  const auto* update = node.attributes_if<ir::EmbeddingUpdateAttributes>();
  if (!a && !update) return false;
  if (node.op == &ops::embedding_bag_gradient) return std::ranges::all_of(node.types, is_known);
  const std::size_t count = update ? node.types.size() : ir::lookup_tables(node);
  return std::ranges::all_of(node.operands.first(count), [&](ir::Value v) { return is_known(v.type()); });
}

Unit embedding_bag_unit(const Node& node, const NativeContext& context) {
  const int count = ir::lookup_tables(node);
  const std::vector<Type> tables = first_types(node, count);
  Unit unit = unit_of(node);
  unit.info.category = "embedding lookup";
  unit.bytes = moved_bytes(node.operand(count), tables, node.type(), 1);
  const auto sums = std::make_shared<const RowSums>(widths_of(tables), tables[0].dtype(), node.type().dtype(), context);
  set_embedding_form(unit, node, context, [&node, count, tables, sums](const SizeValues& sizes) {
    const auto& attributes = node.attributes<ir::EmbeddingAttributes>();
    const Tables at = tables_at(tables, sizes);
    const LookupOperands lookup = operands_of(node, sizes, count, at);
    const Type pooled = sizes(node.type());
    Unit made;
    made.thunk().make = [plan = lookup_plan(attributes, at.types), lookup, at, columns = columns_of_row(pooled, lookup),
                         sums](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<EmbeddingBagThunk>(plan, lookup, at, columns, sums, reads, writes[0]);
    };
    return made;
  });
  return unit;
}

Unit embedding_bag_gradient_unit(const Node& node, const NativeContext& context) {
  const std::vector<Type> tables(node.types.begin(), node.types.end());
  const DType pooled = ir::pooled_dtype(tables[0].dtype());
  Unit unit = unit_of(node);
  unit.info.category = "embedding gradient";
  const auto sums = std::make_shared<const RowSums>(widths_of(tables), pooled, pooled, context);
  set_embedding_form(unit, node, context, [&node, tables, sums](const SizeValues& sizes) {
    const auto& attributes = node.attributes<ir::EmbeddingAttributes>();
    const Tables at = tables_at(tables, sizes);
    const LookupOperands lookup = operands_of(node, sizes, 1, at, 0);
    LookupPlan plan = lookup_plan(attributes, at.types);
    Unit made;
    with_real(at.pooled, [&]<class Real>(Real) {
      made.scratch_bytes = most_occurrences(plan, {&lookup, 1}) * sizeof(Occurrence<Real>);
    });
    made.thunk().make = [plan = std::move(plan), lookup, at, sums](
                            std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
      return std::make_unique<EmbeddingBagGradientThunk>(plan, lookup, at, sums, reads, writes, scratch);
    };
    return made;
  });
  return unit;
}

Unit embedding_weights_gradient_unit(const Node& node, const NativeContext& context) {
  const int count = ir::lookup_tables(node);
  const std::vector<Type> tables = first_types(node, count);
  Unit unit = unit_of(node);
  unit.info.category = "embedding gradient";
  set_embedding_form(unit, node, context, [&node, count, tables](const SizeValues& sizes) {
    const auto& attributes = node.attributes<ir::EmbeddingAttributes>();
    const Tables at = tables_at(tables, sizes);
    const LookupOperands lookup = operands_of(node, sizes, count + 1, at, count);
    Unit made;
    made.thunk().make = [plan = lookup_plan(attributes, at.types), lookup, at](
                            std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<EmbeddingWeightsGradientThunk>(plan, lookup, at, reads, writes[0]);
    };
    return made;
  });
  return unit;
}

}  // namespace weft::compiler
