// The reference for comparisons: the interpreter's results and, for each element, a bound on how far the result of another
// faithful execution may differ. The bounds are propagated node by node, as in a running error analysis:
//
//   ops that move or select elements    propagate the bounds unchanged
//   elementwise ops                     the largest change of the result when the operands vary within their bounds, plus the
//                                       rounding of the primitives in the op's scalar rule (rounding.h)
//   sums of n terms, dot products       the bounds of the terms, plus (n + 2) eps sum |terms|
//   comparisons, integers, branches     exact if every value within the bounds gives the same result, otherwise unknown
//
// A bound of 0 requires the same bits (any NaN matches any NaN); infinity means that nothing is known.
#pragma once

#include <span>
#include <vector>

#include <weft/ir/array.h>
#include <weft/ir/graph.h>

namespace weft::fuzz {

struct Bounded {
  ir::Array value;
  ir::Array bound;  // f64, of the same shape

  explicit Bounded(ir::Array v);  // exact
  Bounded(ir::Array v, ir::Array b) : value(std::move(v)), bound(std::move(b)) {}
  bool is_exact() const;
  bool is_known() const;  // no bound is infinite
};

struct Arithmetic {
  // Multiplications and additions are not contracted, so the basic operations give the same bits everywhere. The order of sums is
  // still free.
  bool strict = false;
  bool parts =
      false;  // sums are computed in parts, on several devices, and each part is rounded to the dtype of the result
};

// Returns the outputs for these inputs, which are exact. Throws what interpret() throws.
std::vector<Bounded> interpret_bounded(const ir::Graph& graph, std::span<const ir::Array> inputs,
                                       const Arithmetic& arithmetic);

}  // namespace weft::fuzz
