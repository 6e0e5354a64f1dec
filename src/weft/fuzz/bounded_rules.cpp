// Propagates bounds through shape ops, reductions, contractions and opaque ops.
#include <weft/fuzz/bounded_rules.h>

#include <algorithm>

#include <weft/fuzz/bounded_fold.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;

std::vector<Array> shape_bounds(const BoundedCall& call) {
  if (call.all_exact()) return same_bounds(call, 0);
  std::vector<Array> operands;
  for (const Bounded* operand : call.operands) operands.push_back(operand->bound);
  return {evaluate_as_doubles(call.node, operands)};
}

std::vector<Array> reduction_bounds(const BoundedCall& call) {
  const ir::Graph& body = *call.node.regions[0];
  const auto folds = folds_of(body);
  if (folds.empty()) return is_exact_body(body) ? all_or_nothing(call) : same_bounds(call, infinity);
  std::vector<Array> bounds;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    const Bounded &x = call[i], &init = call[folds.size() + i];
    const double eps = accumulation_epsilon(x.value.dtype(), call.arithmetic);
    bounds.push_back(fold_bound(*folds[i], call.results[i], eps, [&](const ir::Op& f, const Term& term) {
      const std::array operands{terms(x, term), terms(init, term)};
      return evaluate_as_doubles(call.node, operands, ir::reduction_body(f, DType::f64));
    }));
  }
  return bounds;
}

std::vector<Array> contraction_bounds(const BoundedCall& call) {
  const Array& y = call.results[0];
  if (!is_float(y.dtype())) return all_or_nothing(call);
  const auto product = [&](const Term& term) {
    const std::array operands{terms(call[0], term), terms(call[1], term)};
    return evaluate_as_doubles(call.node, operands);
  };
  const auto is_finite = [](const Bounded* operand) {
    return std::ranges::all_of(values_of(as_doubles(operand->value)), [](double x) { return std::isfinite(x); });
  };
  // A convolution may be computed with zeros between groups or after the channels, and zero times an infinity or NaN is NaN.
  const bool finite = std::ranges::all_of(call.operands, is_finite);
  if (!finite && call.node.op == &ir::ops::convolution) return same_bounds(call, infinity);
  // The bf16 instructions treat subnormal numbers as zero.
  const double least = call[0].value.dtype() == DType::bf16 ? 0x1p-126 : 0;
  const auto is_flushed = [&](double v) { return v != 0 && std::abs(v) < least; };
  const Array most = product([&](double v, double b) { return std::isfinite(v) ? std::abs(v) + b + least : 0; }),
              now = product([](double v, double) { return std::isfinite(v) ? std::abs(v) : 0; }),
              count = product([](double, double) { return 1.0; }),
              unknown = product([](double, double b) { return b < infinity ? 1.0 : infinity; }),
              flushed = product([&](double v, double) { return std::isinf(v)   ? infinity
                                                               : is_flushed(v) ? 0.0
                                                                               : 1.0; });
  const double eps = accumulation_epsilon(y.dtype(), call.arithmetic), limit = largest_finite(y.dtype());
  return {doubles(y.type(), [&](std::int64_t i) {
    if (!(unknown.element(i) < infinity) || !(most.element(i) <= limit)) return infinity;
    if (std::isnan(flushed.element(i))) return infinity;  // a subnormal number times an infinity
    if (!std::isfinite(y.element(i))) return 0.0;
    const double bound = most.element(i) - now.element(i) + (count.element(i) + 2) * eps * most.element(i) +
                         ulp(y.element(i), y.dtype()) + 2 * least;
    return std::abs(y.element(i)) + bound > limit ? infinity : bound;
  })};
}

std::vector<Array> same_operands_bounds(const BoundedCall& call) {
  std::vector<Array> bounds;
  for (const Bounded* operand : call.operands) bounds.push_back(operand->bound);
  return bounds;
}

}  // namespace weft::fuzz
