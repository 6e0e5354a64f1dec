// What the thunks of embedding tables share: where the operands of lookups are, and sums of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/compiler/thunks/row_occurrences.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {

// The operands of a lookup, for known sizes.
struct LookupOperands {
  int ids = 0, ends = 0, weights = -1;  // weights: -1 if there are none
  bool wide_ids = false, wide_ends = false;
  std::int64_t count = 0, batch = 0;
  int cotangent = -1;        // the operand with the cotangents of pooled rows; -1: none
  std::int64_t columns = 0;  // of that operand

  LookupIds at(const runtime::Launch& launch, std::span<const runtime::Slice> reads) const {
    return {.ids = {launch.at(reads[ids]), wide_ids},
            .ends = {launch.at(reads[ends]), wide_ends},
            .weights = weights < 0 ? nullptr : launch.at(reads[weights]),
            .count = count,
            .batch = batch};
  }
};

LookupOperands lookup_operands(const ir::Node& node, const SizeValues& sizes, int ids, bool weighted,
                               int cotangent = -1);

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

// Returns how many occurrences of rows there are at most.
std::int64_t most_occurrences(const LookupPlan& plan, std::span<const LookupOperands> lookups);

// Gives the unit the form that `at` returns, which calls the routines of `context`.
void set_embedding_form(Unit& unit, const ir::Node& node, const NativeContext& context,
                        std::function<Unit(const SizeValues& sizes)> at);

// Sums scaled rows of one dtype in f32 or f64. Thread-safe.
class RowSum {
 public:
  RowSum(DType rows, DType sum, const NativeContext& context);

  // to[i] = scale * row[i]
  template <class Real>
  void start(std::byte* to, const std::byte* row, Real scale, std::int64_t width) const {
    if (same_ && scale == 1) {
      std::copy_n(row, width * static_cast<std::int64_t>(sizeof(Real)), to);
      return;
    }
    std::byte* const buffers[] = {const_cast<std::byte*>(row), reinterpret_cast<std::byte*>(&scale), to};
    start_.apply(1, width, buffers, zeros, start_strides_);
  }
  // to[i] += scale * row[i]
  template <class Real>
  void add(std::byte* to, const std::byte* row, Real scale, std::int64_t width) const {
    std::byte* const buffers[] = {to, const_cast<std::byte*>(row), reinterpret_cast<std::byte*>(&scale), to};
    add_.apply(1, width, buffers, zeros, add_strides_);
  }

 private:
  static constexpr std::int64_t zeros[4] = {};

  bool same_;  // rows have the dtype of the sum
  std::shared_ptr<const ir::Graph> start_graph_, add_graph_;
  Body start_, add_;
  std::int64_t start_strides_[3], add_strides_[4];
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
