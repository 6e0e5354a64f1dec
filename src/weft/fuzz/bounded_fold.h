// Bounds of folds, shared by reduce, reduce_window, scatter and select_and_scatter. Only implementation files include this header.
#pragma once

#include <functional>
#include <vector>

#include <weft/fuzz/bounded_rules.h>

namespace weft::fuzz {

// A Folding folds, with `f`, the terms of each result, each replaced by the f64 that `term` gives for its value and bound.
using Term = std::function<double(double value, double bound)>;
using Folding = std::function<ir::Array(const ir::Op& f, const Term& term)>;

// Returns the bounds of one result that is folded by `f`, where each step has a relative error of `eps`.
ir::Array fold_bound(const ir::Op& f, const ir::Array& result, double eps, const Folding& folding);

// Returns the op that folds each result if the body is a single op for each; otherwise an empty vector.
std::vector<const ir::Op*> folds_of(const ir::Graph& body);

// Returns whether a body only selects and compares, or is integer arithmetic, so that exact operands give exact results in the
// given order.
bool is_exact_body(const ir::Graph& body);

// Returns the terms of an operand as f64.
ir::Array terms(const Bounded& operand, const Term& term);

}  // namespace weft::fuzz
