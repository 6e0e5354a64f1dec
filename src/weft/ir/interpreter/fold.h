// Folding elements into accumulators with a body of two sets of rank-0 values: what reduce, reduce_window, scatter and
// select_and_scatter share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>
#include <weft/ir/interpreter/region.h>

namespace weft::ir::interpreter {

// Element `from` of the values is to be folded into accumulator `into`.
struct Pair {
  std::int64_t from, into;
};

class Fold {
 public:
  // One accumulator per element of the initial arrays, which are of one size.
  Fold(const Graph& body, std::vector<Array> initial, const Context& context);

  // into = body(into, from) for every pair, in order for pairs with the same accumulator.
  void add(std::span<const Array* const> values, std::span<const Pair> pairs);

  std::vector<Array> finish();

 private:
  void add_sums(const Array& values, std::span<const Pair> pairs);
  void add_round(std::span<const Array* const> values, std::span<const Pair> pairs);

  const Op* of_sums_;  // add or multiply of floats, whose accumulators are `sums`; else nullptr
  bool rounds_;        // the sums to the dtype, after every step
  Region body_;
  std::vector<Array> accumulators_;
  std::vector<double> sums_;
};

}  // namespace weft::ir::interpreter
