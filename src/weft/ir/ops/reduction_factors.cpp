// Factor rules of reductions.
#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/factors.h>
#include <weft/ir/ops/elementwise.h>
#include <weft/ir/ops/reduction.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

std::optional<Reduction> reduction_of(const Graph& body, DType dtype) {
  const Op* op = reduction_op(body);
  const bool is_boolean = dtype == DType::boolean;
  if (op == &ops::add) return is_boolean ? Reduction::max : Reduction::sum;
  if (op == &ops::maximum || (is_boolean && op == &ops::or_)) return Reduction::max;
  if (op == &ops::minimum || (is_boolean && (op == &ops::and_ || op == &ops::multiply))) return Reduction::min;
  return std::nullopt;
}

std::shared_ptr<const Graph> reduction_body(Reduction reduction, DType dtype) {
  const Op* const reductions[] = {&ops::add, &ops::maximum, &ops::minimum};
  return reduction_body(*reductions[static_cast<int>(reduction)], dtype);
}

// Dimensions that are kept pass. A reduced dimension can be split if parts of the result can be combined by the body.
void reduce_factors(const Node& node, Factors& f) {
  const Ints dimensions = node.attributes<DimensionsAttributes>().dimensions;
  const Type x = node.operand(0).type();
  const int count = static_cast<int>(node.operands.size()) / 2;
  const auto reduction = count == 1 ? reduction_of(*node.regions[0], x.dtype()) : std::nullopt;
  for (int d = 0, kept = 0; d < x.rank(); ++d) {
    const bool is_reduced = std::ranges::count(dimensions, d) != 0;
    if (is_reduced && !reduction) continue;
    const int letter = is_reduced ? f.add(x.dim(d), Factor::Kind::reduced, *reduction) : f.add(x.dim(d));
    for (int i = 0; i < count; ++i) f.operands[i][d] = {letter};
    if (is_reduced) continue;
    for (auto& result : f.results) result[kept] = {letter};
    ++kept;
  }
}

// Only dimensions along which every window is one element can be split.
void reduce_window_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<ReduceWindowAttributes>();
  const Type x = node.operand(0).type();
  const int count = static_cast<int>(node.operands.size()) / 2;
  for (int d = 0; d < x.rank(); ++d) {
    if (!window_dim(a, d).is_trivial()) continue;
    const int letter = f.add(x.dim(d));
    for (int i = 0; i < count; ++i) f.operands[i][d] = f.results[i][d] = {letter};
  }
}

Linearity reduction_linearity(const Node& node, int) {
  const bool is_sum = node.types.size() == 1 && reduction_of(*node.regions[0], node.type().dtype()) == Reduction::sum;
  return is_sum ? Linearity::together : Linearity::none;
}

}  // namespace weft::ir
