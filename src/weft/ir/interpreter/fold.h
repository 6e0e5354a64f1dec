// Folds elements into accumulators with a body that takes two sets of rank-0 values. reduce, reduce_window, scatter and
// select_and_scatter share it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>
#include <weft/ir/interpreter/region.h>

namespace weft::ir::interpreter {

// Says that element `from` of the values is folded into accumulator `into`.
struct Pair {
  std::int64_t from, into;
};

class Fold {
 public:
  // Creates one accumulator per element of the initial arrays, which all have the same size.
  Fold(const Graph& body, std::vector<Array> initial, const Context& context);

  // Computes into = body(into, from) for every pair; pairs with the same accumulator are applied in order.
  void add(std::span<const Array* const> values, std::span<const Pair> pairs);

  std::vector<Array> finish();

 private:
  void add_sums(const Array& values, std::span<const Pair> pairs);
  void add_round(std::span<const Array* const> values, std::span<const Pair> pairs);

  const Op* of_sums_;  // add or multiply of floats, accumulated in sums_; otherwise nullptr
  bool rounds_;        // rounds the sums to the dtype after every step
  Region body_;
  std::vector<Array> accumulators_;
  std::vector<double> sums_;
};

}  // namespace weft::ir::interpreter
