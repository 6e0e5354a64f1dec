
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/embedding_plan.h>
#include <weft/compiler/thunks/embedding_thunk.h>
#include <weft/compiler/thunks/random_rows.h>
#include <weft/compiler/thunks/row_body.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using runtime::Slice;

namespace {

struct UpdatePlan {
  LookupPlan lookup;
  ir::UpdateOperands operands;
  std::vector<LookupOperands> lookups;
  std::vector<std::int64_t> bodies;                  // of each table
  std::vector<std::vector<std::int64_t>> row_bytes;  // of each table: of a row of the table, then of each state
  std::vector<std::int64_t> widths;                  // of each table
  std::int64_t widest = 0;
  std::shared_ptr<const RandomRows> random_bits;  // null: bodies take none
};

using Bodies = std::vector<std::unique_ptr<const RowBody>>;

template <class Real>
class EmbeddingUpdateThunk final : public runtime::Thunk {
 public:
  EmbeddingUpdateThunk(std::shared_ptr<const UpdatePlan> plan, std::shared_ptr<const Bodies> bodies,
                       std::shared_ptr<const RowSums> sums, std::span<const Slice> from, std::span<const Slice> to,
                       const Slice& scratch)
      : plan_(std::move(plan)),
        bodies_(std::move(bodies)),
        sums_(std::move(sums)),
        from_(from.begin(), from.end()),
        to_(to.begin(), to.end()),
        scratch_(scratch) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<LookupIds> lookups;
    for (const LookupOperands& lookup : plan_->lookups) lookups.push_back(lookup.ids(launch, from_));
    const LaunchPlan plan(plan_->lookup, plan_->lookups, launch, from_);
    auto* const memory = scratch_.bytes ? launch.at<Occurrence<Real>>(scratch_) : nullptr;
    const RowOccurrences<Real> rows(*plan, lookups, {memory, scratch_.bytes / sizeof(Occurrence<Real>)});
    for (std::size_t i = 0; i < to_.size(); ++i) copy_bytes(launch, from_[i], to_[i]);
    runtime::parallel_for(rows.buckets(), 1, [&](std::int64_t begin, std::int64_t end) {
      Work work(*this, *plan, launch);
      for (std::int64_t b = begin; b < end; ++b) work.update(rows.bucket(b));
    });
  }

 private:
  // What one thread needs.
  class Work {
   public:
    Work(const EmbeddingUpdateThunk& thunk, const LookupPlan& lookups, const runtime::Launch& launch)
        : thunk_(thunk),
          launch_(launch),
          plan_(*thunk.plan_),
          adders_(*thunk.sums_, plan_.widths.size()),
          sum_(plan_.widest),
          entries_(lookups.entries),
          bits_(plan_.random_bits ? plan_.random_bits->room(plan_.widest) : 0) {
      for (const auto& body : *thunk.bodies_) {
        runners_.emplace_back(*body);
        std::size_t input = 2 + plan_.operands.states;
        if (plan_.random_bits) runners_.back().set(input++, reinterpret_cast<std::byte*>(bits_.data()));
        for (std::size_t i = plan_.operands.numbers; i < thunk.from_.size(); ++i)
          runners_.back().set(input++, launch.at(thunk.from_[i]));
      }
      for (const ir::LookupEntry& entry : lookups.entries) {
        const LookupOperands& lookup = plan_.lookups[entry.lookup];
        cotangents_.push_back({launch.at<Real>(thunk.from_[lookup.cotangent]) + entry.column, lookup.columns});
      }
    }

    void update(const typename RowOccurrences<Real>::Bucket& bucket) {
      const int table = static_cast<int>(bucket.table);
      table_ = table;
      rows_.clear();
      for (int i = 0; i <= plan_.operands.states; ++i)
        rows_.push_back(
            {launch_.at(thunk_.to_[i == 0 ? table : plan_.operands.state(table, i - 1)]), plan_.row_bytes[table][i]});
      RowBody::Runner& runner = runners_[plan_.bodies[table]];
      groups_.group(bucket.occurrences);
      loaded_ = loaded_rows_ = 0;
      for (std::size_t k = 0; k < groups_.rows(); ++k) {
        runner.set(1, gradient(k));
        const Occurrence<Real>& first = groups_.occurrences()[groups_.begin(k)];
        const std::int64_t row = first.row;
        if (plan_.random_bits)
          plan_.random_bits->draw(*launch_.at<std::uint64_t>(thunk_.from_[plan_.operands.key]), counter(first),
                                  plan_.widths[table], bits_);
        for (std::size_t i = 0; i < rows_.size(); ++i)
          runner.set(i == 0 ? 0 : i + 1, rows_[i].at + row * rows_[i].bytes);
        runner.run();
      }
    }

   private:
    static constexpr std::size_t ahead = 12;  // so many occurrences are loaded before they are needed

    struct Rows {
      std::byte* at;
      std::int64_t bytes;  // of each
    };
    struct Cotangents {
      const Real* at;
      std::int64_t columns;
    };

    std::byte* cotangent(const Occurrence<Real>& at) const {
      const Cotangents& rows = cotangents_[at.entry];
      return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(rows.at + at.place * rows.columns));
    }

    // Returns where the random bits of a row begin.
    std::uint64_t counter(const Occurrence<Real>& first) const {
      const int counters = plan_.operands.row_counters;
      return counters < 0 ? entries_[first.entry].counter(first.row)
                          : launch_.at<std::int64_t>(thunk_.from_[counters + table_])[first.row];
    }

    // Loads what the occurrences before `end` need.
    void load(std::size_t end) {
      const std::span<const Occurrence<Real>> all = groups_.occurrences();
      for (end = std::min(end, all.size()); loaded_ < end; ++loaded_) {
        const Occurrence<Real>& at = all[loaded_];
        prefetch_row(cotangent(at), plan_.widths[table_] * static_cast<std::int64_t>(sizeof(Real)));
        if (loaded_ != groups_.begin(loaded_rows_)) continue;
        for (const Rows& rows : rows_) prefetch_row_to_change(rows.at + at.row * rows.bytes, rows.bytes);
        if (loaded_rows_ + 1 < groups_.rows()) ++loaded_rows_;
      }
    }

    // Returns the sum of the gradients of a row, which need not be moved if there is a single one.
    std::byte* gradient(std::size_t row) {
      const std::size_t begin = groups_.begin(row), end = groups_.end(row);
      const std::span<const Occurrence<Real>> all = groups_.occurrences();
      load(begin + ahead);
      if (end == begin + 1 && all[begin].scale == 1) return cotangent(all[begin]);
      auto* const sum = reinterpret_cast<std::byte*>(sum_.data());
      RowAdder<Real>& adder = adders_.of_table(table_);
      adder.begin(sum);
      for (std::size_t i = begin; i < end; ++i) {
        load(i + ahead);
        adder.add(cotangent(all[i]), all[i].scale);
      }
      adder.end();
      return sum;
    }

    const EmbeddingUpdateThunk& thunk_;
    const runtime::Launch& launch_;
    const UpdatePlan& plan_;
    std::vector<RowBody::Runner> runners_;
    std::vector<Cotangents> cotangents_;  // of each entry
    std::vector<Rows> rows_;              // of the table, then of each state
    RowAdders<Real> adders_;
    std::vector<Real> sum_;
    std::span<const ir::LookupEntry> entries_;
    std::vector<std::uint32_t> bits_;  // the random bits of a row
    RowGroups<Real> groups_;
    int table_ = 0;
    std::size_t loaded_ = 0, loaded_rows_ = 0;  // how many occurrences, and rows of the table, are loaded
  };

  std::shared_ptr<const UpdatePlan> plan_;
  std::shared_ptr<const Bodies> bodies_;
  std::shared_ptr<const RowSums> sums_;
  std::vector<Slice> from_, to_;
  Slice scratch_;
};

UpdatePlan update_plan(const Node& node, const SizeValues& sizes, std::shared_ptr<const RandomRows> random_bits) {
  const auto& a = node.attributes<ir::EmbeddingUpdateAttributes>();
  UpdatePlan plan{.lookup = {},
                  .operands = ir::update_operands(a),
                  .lookups = {},
                  .bodies = {},
                  .row_bytes = {},
                  .widths = {},
                  .random_bits = std::move(random_bits)};
  plan.bodies.assign(a.bodies.begin(), a.bodies.end());
  std::vector<Type> tables;
  for (int t = 0; t < plan.operands.tables; ++t) {
    tables.push_back(sizes(node.operand(t).type()));
    plan.widths.push_back(tables.back().size(1));
    plan.widest = std::max(plan.widest, plan.widths.back());
    std::vector<std::int64_t>& bytes = plan.row_bytes.emplace_back();
    bytes.push_back(ir::row_type(tables.back()).bytes());
    for (int i = 0; i < plan.operands.states; ++i)
      bytes.push_back(ir::row_type(sizes(node.operand(plan.operands.state(t, i)).type())).bytes());
  }
  plan.lookup = lookup_plan(a, tables);
  for (std::size_t i = 0; i < plan.operands.lookups.size(); ++i) {
    const ir::UpdateOperands::Lookup& at = plan.operands.lookups[i];
    PlacedRows placed;
    if (at.pieces >= 0)
      placed = {.repeats = a.placed[i], .table = a.placed_tables[i], .table_type = tables[a.placed_tables[i]]};
    plan.lookups.push_back(lookup_operands(node, sizes, at, placed, at.unpooled, at.cotangent));
  }
  return plan;
}

template <class Real>
void set_update(Unit& unit, const std::shared_ptr<const UpdatePlan>& plan, const std::shared_ptr<const Bodies>& bodies,
                const std::shared_ptr<const RowSums>& sums) {
  unit.scratch_bytes = most_occurrences(plan->lookup, plan->lookups) * sizeof(Occurrence<Real>);
  unit.thunk().make = [plan, bodies, sums](std::span<const Slice> reads, std::span<const Slice> writes,
                                           const Slice& scratch) {
    return std::make_unique<EmbeddingUpdateThunk<Real>>(plan, bodies, sums, reads, writes, scratch);
  };
}

// For each id, the row of the cotangent is read, and the rows of the table and its states are read and written.
Size bytes_of_update(const Node& node, const ir::UpdateOperands& places) {
  std::int64_t row = 0;
  for (int i = 0; i < places.tables * (1 + places.states); ++i) {
    std::int64_t elements = 1;
    for (const Dim dim : node.operand(i).type().dims().subspan(1)) elements *= dim.is_constant() ? dim.value() : 1;
    row += 2 * elements * byte_size(node.operand(i).dtype());
  }
  Size bytes = 0;
  for (const ir::UpdateOperands::Lookup& at : places.lookups)
    bytes += product_of(node.operand(at.ids).type().dims()) * Size(row / places.tables + 16) +
             product_of(node.operand(at.cotangent).type().dims()) * Size(byte_size(node.operand(at.cotangent).dtype()));
  return bytes;
}

}  // namespace

Unit embedding_update_unit(const Node& node, const NativeContext& context) {
  const ir::UpdateOperands places = ir::update_operands(node.attributes<ir::EmbeddingUpdateAttributes>());
  Unit unit = unit_of(node);
  unit.info.category = "embedding update";
  for (int i = 0; i < std::ssize(unit.writes); ++i)
    if (std::ranges::count(unit.reads, unit.reads[i]) == 1) unit.in_place.emplace_back(i, i);
  unit.updates_part = true;
  unit.bytes = bytes_of_update(node, places);
  const DType pooled = ir::pooled_dtype(node.operand(0).dtype());
  std::vector<std::int64_t> widths;
  for (int t = 0; t < places.tables; ++t) widths.push_back(node.operand(t).type().size(1));
  const auto sums = std::make_shared<const RowSums>(widths, pooled, pooled, context);
  const auto bodies = std::make_shared<Bodies>();
  for (const ir::Graph* region : node.regions) bodies->push_back(std::make_unique<const RowBody>(*region, context));
  const auto random_bits = places.key < 0 ? nullptr : std::make_shared<const RandomRows>(context);
  set_embedding_form(unit, node, context, [&node, pooled, sums, bodies, random_bits](const SizeValues& sizes) {
    const auto plan = std::make_shared<const UpdatePlan>(update_plan(node, sizes, random_bits));
    Unit made;
    pooled == DType::f64 ? set_update<double>(made, plan, bodies, sums) : set_update<float>(made, plan, bodies, sums);
    return made;
  });
  return unit;
}

}  // namespace weft::compiler
