#include <weft/fuzz/bounded_fold.h>

#include <algorithm>

#include <weft/fuzz/rounding.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;
using ir::Op;

namespace {

double magnitude(double value, double bound) { return std::isfinite(value) ? std::abs(value) + bound : 0; }

Array sum_bound(const Array& result, double eps, const Folding& folding) {
  const DType dtype = result.dtype();
  const Array all = folding(ir::ops::add, magnitude),
              bounds = folding(ir::ops::add, [](double, double bound) { return bound; }),
              count = folding(ir::ops::add, [](double, double) { return 1.0; });
  return doubles(result.type(), [&](std::int64_t i) {
    const double size = all.element(i), y = result.element(i), b = bounds.element(i);
    const double bound = b + (count.element(i) + 2) * eps * size + ulp(y, dtype);
    if (!(b < infinity) || size > largest_finite(dtype)) return infinity;
    // An infinity or NaN must come from the terms, because their finite part cannot overflow.
    if (!std::isfinite(y)) return 0.0;
    return std::abs(y) + bound > largest_finite(dtype) ? infinity : bound;
  });
}

// If partial products may overflow or underflow, the result depends on their order.
Array product_bound(const Array& result, double eps, const Folding& folding) {
  const DType dtype = result.dtype();
  const double least = std::max(1 / largest_finite(dtype), epsilon(dtype) / largest_finite(dtype) * 4) * 4;
  const auto upper = [](double value, double bound) { return std::abs(value) + bound; };
  const Array most = folding(ir::ops::multiply, upper),
              now = folding(ir::ops::multiply, [](double value, double) { return std::abs(value); }),
              high = folding(ir::ops::multiply, [&](double v, double b) { return std::max(1.0, upper(v, b)); }),
              low = folding(ir::ops::multiply,
                            [](double v, double b) {
                              return v == 0 && b == 0 ? 1.0 : std::min(1.0, std::max(std::abs(v) - b, 0.0));
                            }),
              count = folding(ir::ops::add, [](double, double) { return 1.0; });
  return doubles(result.type(), [&](std::int64_t i) {
    if (!(high.element(i) <= largest_finite(dtype)) || !(low.element(i) >= least)) return infinity;
    return most.element(i) - now.element(i) + (count.element(i) + 2) * eps * most.element(i) +
           ulp(result.element(i), dtype);
  });
}

bool rounds(const Op& op, DType dtype) {
  ir::Graph graph;
  const ir::Value x = graph.add_input(Type(dtype, {}));
  return is_float(dtype) && rounding_ulps(graph.append(op, std::array{x, x}), false) > 0;
}

}  // namespace

Array fold_bound(const Op& f, const Array& result, double eps, const Folding& folding) {
  if (!rounds(f, result.dtype())) return folding(ir::ops::maximum, [](double, double bound) { return bound; });
  if (&f == &ir::ops::add) return sum_bound(result, eps, folding);
  if (&f == &ir::ops::multiply) return product_bound(result, eps, folding);
  return Array::splat(result.type().with(DType::f64), infinity);
}

std::vector<const Op*> folds_of(const ir::Graph& body) {
  const auto in = body.inputs();
  const std::size_t count = body.outputs().size();
  std::vector<const Op*> folds;
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Node& node = *body.outputs()[i].node;
    const bool is_fold = node.op->kind == ir::Kind::elementwise && node.operands.size() == 2 && node.op->commutative &&
                         std::ranges::is_permutation(node.operands, std::array{in[i], in[count + i]});
    if (!is_fold) return {};
    folds.push_back(node.op);
  }
  return folds;
}

bool is_exact_body(const ir::Graph& body) {
  return std::ranges::all_of(body.nodes(), [](const ir::Node* node) {
    if (node->op->kind == ir::Kind::source) return true;
    return node->op->kind == ir::Kind::elementwise &&
           (!is_float(node->type().dtype()) || rounding_ulps(*node, false) == 0);
  });
}

Array terms(const Bounded& operand, const Term& term) {
  return doubles(operand.value.type(),
                 [&](std::int64_t i) { return term(operand.value.element(i), values_of(operand.bound)[i]); });
}

}  // namespace weft::fuzz
