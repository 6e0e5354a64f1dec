// The reference for comparisons: the interpreter's results and, for each element, how far the result of another faithful
// execution may lie from it. The bound is carried along node by node, as a running error analysis:
//
//   what moves or selects elements      carries the bounds along
//   elementwise ops                     the largest change when the operands move within their bounds, and the rounding of the
//                                       primitives that the op's scalar meaning applies (rounding.h)
//   sums of n terms, dot products       the terms' bounds, and (n + 2) eps sum |terms|
//   comparisons, integers, branches     exact while all that moves within its bound gives the same; else anything may come of it
//
// A bound of 0 asks for the same bits, any NaN for any NaN; infinity says that nothing is known.
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
  // No contraction of multiply and add: the basic operations give the same bits everywhere. The order of sums is still open.
  bool strict = false;
};

// The outputs for these inputs, which are exact. Throws what interpret() throws.
std::vector<Bounded> interpret_bounded(const ir::Graph& graph, std::span<const ir::Array> inputs,
                                       const Arithmetic& arithmetic);

}  // namespace weft::fuzz
