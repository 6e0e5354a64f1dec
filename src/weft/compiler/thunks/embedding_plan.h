// What the thunks of embedding tables share: where the operands of lookups are, and sums of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/thunks/native_context.h>
#include <weft/compiler/thunks/row_body.h>
#include <weft/compiler/thunks/row_occurrences.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// The operands of a lookup, for known sizes.
struct LookupOperands {
  ir::LookupOperandPlaces at;
  bool wide_ids = false, wide_ends = false;
  bool unpooled = false;
  std::int64_t count = 0, batch = 0, blocks = 1, keys = 0;
  int cotangent = -1;        // the operand with the cotangents of pooled rows; -1: none
  std::int64_t columns = 0;  // of that operand
  // If rows are placed: the type of the pieces, the table with its type, and in how many pieces of a part an id is at most.
  Type pieces;
  std::int64_t table = 0, repeats = 0;
  Type table_type;

  LookupIds ids(const runtime::Launch& launch, std::span<const runtime::Slice> reads) const {
    return {.ids = {launch.at(reads[at.ids]), wide_ids},
            .ends = {launch.at(reads[at.ends]), wide_ends},
            .weights = at.weights < 0 ? nullptr : launch.at(reads[at.weights]),
            .count = count,
            .batch = batch,
            .blocks = blocks,
            .keys = keys,
            .unpooled = unpooled};
  }
};

// Says which rows are placed.
struct PlacedRows {
  std::int64_t repeats = 0;  // 0: none
  std::int64_t table = 0;
  Type table_type = {};  // whose sizes are known
};
LookupOperands lookup_operands(const ir::Node& node, const SizeValues& sizes, const ir::LookupOperandPlaces& at,
                               const PlacedRows& placed, bool unpooled, int cotangent = -1);

// Returns the plan of a lookup; `tables` are the types of the tables, whose sizes are known.
template <class Attributes>
LookupPlan lookup_plan(const Attributes& attributes, std::span<const Type> tables) {
  LookupPlan plan{.entries = ir::lookup_entries(attributes, tables),
                  .rows = {},
                  .bounds = attributes.bounds,
                  .names = std::string(attributes.names)};
  for (const Type table : tables) {
    require(std::in_range<std::uint32_t>(table.size(0)), "embedding: a table has at most 2^32 - 1 rows, got ", table);
    plan.rows.push_back(table.size(0));
  }
  return plan;
}

// The plan of a launch: with the entries of placed rows, which stand in an operand. Throws Error for a piece that does not fit.
class LaunchPlan {
 public:
  LaunchPlan(const LookupPlan& plan, std::span<const LookupOperands> lookups, const runtime::Launch& launch,
             std::span<const runtime::Slice> reads);
  const LookupPlan& operator*() const { return own_ ? *own_ : plan_; }
  const LookupPlan* operator->() const { return &**this; }

 private:
  const LookupPlan& plan_;
  std::optional<LookupPlan> own_;
};

// Returns how many occurrences of rows there are at most.
std::int64_t most_occurrences(const LookupPlan& plan, std::span<const LookupOperands> lookups);

// Gives the unit the form that `at` returns, which calls the routines of `context`.
void set_embedding_form(Unit& unit, const ir::Node& node, const NativeContext& context,
                        std::function<Unit(const SizeValues& sizes)> at);

// Sums of scaled rows in f32 or f64, for rows of certain widths. Thread-safe.
class RowSums {
 public:
  // `widths` has an entry for each table.
  RowSums(std::span<const std::int64_t> widths, DType rows, DType sum, const NativeContext& context);

  // The functions for one width.
  struct OfWidth {
    OfWidth(std::int64_t width, DType rows, DType sum, const NativeContext& context);

    static constexpr int together = 4;
    std::int64_t width, row_bytes;
    bool same;                        // rows have the dtype of the sum
    RowBody start, add, add_several;  // of one row; of one row; of `together` rows
  };
  const OfWidth& of_table(std::int64_t table) const { return *sums_[of_table_[table]]; }

 private:
  std::vector<std::unique_ptr<const OfWidth>> sums_;
  std::vector<std::size_t> of_table_;
};

// Adds rows to one sum after another, in order; each thread needs its own. Real is the type of the sum.
template <class Real>
class RowAdder {
 public:
  explicit RowAdder(const RowSums::OfWidth& sums)
      : sums_(sums), start_(sums.start), add_(sums.add), several_(sums.add_several) {
    for (RowBody::Runner* runner : {&start_, &add_}) runner->set(2, reinterpret_cast<std::byte*>(scales_));
    for (int i = 0; i < together; ++i) several_.set(2 + 2 * i, reinterpret_cast<std::byte*>(scales_ + i));
  }
  RowAdder(const RowAdder&) = delete;
  RowAdder& operator=(const RowAdder&) = delete;

  // Begins a sum at this place, or goes on with the one that is there.
  void begin(std::byte* to, bool goes_on = false) {
    to_ = to;
    has_begun_ = goes_on;
  }
  // Adds scale * row. The row must stay until end().
  void add(const std::byte* row, Real scale) {
    if (!has_begun_) return start(row, scale);
    rows_[pending_] = const_cast<std::byte*>(row);
    scales_[pending_++] = scale;
    if (pending_ == together) add_several();
  }
  // Ends the sum; returns false if nothing was added, so that nothing was written.
  bool end() {
    for (int i = 0; i < pending_; ++i) {
      scales_[0] = scales_[i];
      run(add_, rows_[i]);
    }
    pending_ = 0;
    return has_begun_;
  }

 private:
  static constexpr int together = RowSums::OfWidth::together;

  void run(RowBody::Runner& runner, std::byte* row) {
    runner.set(0, to_);
    runner.set(1, row);
    runner.run();
  }
  void start(const std::byte* row, Real scale) {
    has_begun_ = true;
    if (sums_.same && scale == 1) {
      if (sums_.row_bytes > 0) std::memcpy(to_, row, sums_.row_bytes);  // rows without columns have no address
      return;
    }
    scales_[0] = scale;
    run(start_, const_cast<std::byte*>(row));
  }
  void add_several() {
    for (int i = 1; i < together; ++i) several_.set(1 + 2 * i, rows_[i]);
    run(several_, rows_[0]);
    pending_ = 0;
  }

  const RowSums::OfWidth& sums_;
  RowBody::Runner start_, add_, several_;
  std::byte* to_ = nullptr;
  std::byte* rows_[together] = {};
  Real scales_[together] = {};
  int pending_ = 0;
  bool has_begun_ = false;
};

// The adders of a thread, for all tables.
template <class Real>
class RowAdders {
 public:
  RowAdders(const RowSums& sums, std::size_t tables) {
    for (std::size_t t = 0; t < tables; ++t) adders_.push_back(std::make_unique<RowAdder<Real>>(sums.of_table(t)));
  }
  RowAdder<Real>& of_table(std::int64_t table) { return *adders_[table]; }

 private:
  std::vector<std::unique_ptr<RowAdder<Real>>> adders_;
};

// Loads the cache lines of a row that will be needed soon.
inline void prefetch_row(const std::byte* row, std::int64_t bytes) {
  constexpr std::int64_t line = 64, most = 16 * line;
  for (std::int64_t at = 0; at < std::min(bytes, most); at += line) __builtin_prefetch(row + at);
}
inline void prefetch_row_to_change(std::byte* row, std::int64_t bytes) {
  constexpr std::int64_t line = 64, most = 16 * line;
  for (std::int64_t at = 0; at < std::min(bytes, most); at += line) __builtin_prefetch(row + at, 1);
}

}  // namespace weft::compiler
