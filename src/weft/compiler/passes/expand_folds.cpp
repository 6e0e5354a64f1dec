// Folds that no kernel computes in one piece: of several tensors at once, such as the greatest element with its position, with bodies of
// several ops, and running ones, of all elements before each one. They become a few elementwise steps in which 8 neighbours are combined.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <weft/compiler/loop/kernel_source.h>
#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/passes/running_fold.h>
#include <weft/ir/builder.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;

constexpr std::int64_t together = 8;

// ---- whole folds

bool is_unlike_a_kernel(const ir::Node& node) {
  if (node.op != &ir::ops::reduce || can_lower(node) || !ir::is_static(node) || !is_scalar_body(*node.regions[0]))
    return false;
  if (node.operand(0).type().elements() == 0) return false;
  for (std::size_t i = 0; i < node.types.size(); ++i)
    if (node.regions[0]->inputs()[i].dtype() != node.operand(i).dtype()) return false;
  return true;
}

// Returns x as rows of what is folded.
Value rows_of(Value x, std::span<const std::int64_t> reduced) {
  Dims order;
  std::int64_t folded = 1;
  for (int d = 0; d < x.type().rank(); ++d)
    if (std::ranges::find(reduced, d) == reduced.end()) order.push_back(d);
  for (int d = 0; d < x.type().rank(); ++d) {
    if (std::ranges::find(reduced, d) == reduced.end()) continue;
    order.push_back(d);
    folded *= x.type().size(d);
  }
  return ir::reshape(ir::transpose(x, order), {Dim(x.type().elements() / folded), Dim(folded)});
}

// Returns element `k` of each group of `size` neighbours in the rows; where the last group has none, it is anything.
Value element_of_groups(Value rows, Value init, std::int64_t k, std::int64_t size) {
  const std::int64_t count = rows.type().size(0), length = rows.type().size(1), groups = (length + size - 1) / size;
  const Dims none{0, 0}, behind{0, groups * size - length}, start{0, 0, k}, limit{count, groups, k + 1}, ones{1, 1, 1};
  const Value whole = behind[1] == 0 ? rows : ir::pad(rows, init, none, behind, none);
  const Value grouped = ir::reshape(whole, {Dim(count), Dim(groups), Dim(size)});
  return ir::reshape(ir::slice(grouped, start, limit, ones), {Dim(count), Dim(groups)});
}

// Returns `otherwise` for the last group of each row.
std::vector<Value> except_in_last_group(const std::vector<Value>& groups, const std::vector<Value>& otherwise) {
  const Type type = groups[0].type();
  const Value number = ir::iota(groups[0].graph(), Type(DType::i64, type.dims()), 1);
  const Value is_last =
      ir::compare(number, ir::constant_like(number, static_cast<double>(type.size(1) - 1)), ir::Direction::EQ);
  std::vector<Value> chosen;
  for (std::size_t i = 0; i < groups.size(); ++i) chosen.push_back(ir::select(is_last, otherwise[i], groups[i]));
  return chosen;
}

std::vector<Value> fold_in_groups(ir::Graph& graph, const ir::Node& node, std::span<const Value> operands) {
  const std::size_t count = node.types.size();
  const ir::Graph& body = *node.regions[0];
  const std::span<const Value> inits = operands.subspan(count);
  std::vector<Value> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(rows_of(operands[i], node.attributes<ir::DimensionsAttributes>().dimensions));
  const auto combined = [&](std::vector<Value> left, const std::vector<Value>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return ir::legalize::expand_map(graph, left, body);
  };
  while (rows[0].type().size(1) > 1) {
    const std::int64_t size = std::min(together, rows[0].type().size(1));
    const auto elements = [&](std::int64_t k) {
      std::vector<Value> of;
      for (std::size_t i = 0; i < count; ++i) of.push_back(element_of_groups(rows[i], inits[i], k, size));
      return of;
    };
    const std::int64_t in_last_group = (rows[0].type().size(1) - 1) % size + 1;
    std::vector<Value> folded = elements(0);
    for (std::int64_t k = 1; k < size; ++k) {
      std::vector<Value> next = combined(folded, elements(k));
      if (k >= in_last_group) next = except_in_last_group(next, folded);
      folded = std::move(next);
    }
    rows = std::move(folded);
  }
  std::vector<Value> start, results;
  for (std::size_t i = 0; i < count; ++i) start.push_back(ir::broadcast(inits[i], rows[i].type()));
  const std::vector<Value> folded = combined(std::move(start), rows);
  for (std::size_t i = 0; i < count; ++i) results.push_back(ir::reshape(folded[i], node.types[i].dims()));
  return results;
}

// ---- running folds

// Returns x with each element `distance` places further in the direction of the fold, and the identity in front.
Value shifted(Value x, Value identity, const RunningFold& fold, std::int64_t distance) {
  const std::size_t rank = x.type().rank(), d = fold.dimension;
  Dims none(rank), start(rank), limit, strides(rank, 1), front(rank);
  for (int i = 0; i < x.type().rank(); ++i) limit.push_back(x.type().size(i));
  front[d] = distance;
  (fold.is_forward ? limit : start)[d] += fold.is_forward ? -distance : distance;
  const Value rest = ir::slice(x, start, limit, strides);
  return fold.is_forward ? ir::pad(rest, identity, front, none, none) : ir::pad(rest, identity, none, front, none);
}

// After each step, an element holds the fold of `together` times as many elements.
std::vector<Value> fold_while_running(ir::Graph& graph, const ir::Node& node, std::span<const Value> operands) {
  const RunningFold fold = *running_fold(node);
  const DType dtype = accumulator_type(node.type().dtype());
  const std::int64_t length = node.type().size(fold.dimension);
  Value x = ir::convert(operands[0], dtype);
  const Value identity = ir::convert(operands[1], dtype);
  for (std::int64_t reach = 1; reach < length; reach *= together) {
    Value sum = x;
    for (std::int64_t k = 1; k < together && k * reach < length; ++k)
      sum = graph.append(*fold.op, std::array{shifted(x, identity, fold, k * reach), sum}).result();
    x = sum;
  }
  return {ir::convert(x, node.type().dtype())};
}

}  // namespace

std::shared_ptr<ir::Graph> expand_folds(const ir::Graph& graph, const Target& target) {
  if (!target.is_gpu) return nullptr;
  const auto concerns = [](const ir::Node& node) { return is_unlike_a_kernel(node) || running_fold(node); };
  return rewrite_where(graph, concerns, [](ir::Graph& to, const ir::Node& node, std::span<const Value> operands) {
    return std::optional(node.op == &ir::ops::reduce ? fold_in_groups(to, node, operands)
                                                     : fold_while_running(to, node, operands));
  });
}

}  // namespace weft::compiler
