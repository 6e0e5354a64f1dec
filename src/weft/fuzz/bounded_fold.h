// Bounds of folds: what reduce, reduce_window, scatter and select_and_scatter have in common. Included by implementation files only.
#pragma once

#include <functional>
#include <vector>

#include <weft/fuzz/bounded_rules.h>

namespace weft::fuzz {

// Folds the terms of each result by `f`, each replaced by what `term` gives for its value and bound, all as f64.
using Term = std::function<double(double value, double bound)>;
using Folding = std::function<ir::Array(const ir::Op& f, const Term& term)>;

// The bounds of one result that is folded by `f`, each step with a relative error of `eps`.
ir::Array fold_bound(const ir::Op& f, const ir::Array& result, double eps, const Folding& folding);

// The op that folds each result, if the body is just one op for each; else nothing.
std::vector<const ir::Op*> folds_of(const ir::Graph& body);

// Whether a body only selects and compares, or is integer arithmetic: exact operands give exact results in the order it has.
bool is_exact_body(const ir::Graph& body);

// The terms of an operand as f64.
ir::Array terms(const Bounded& operand, const Term& term);

}  // namespace weft::fuzz
