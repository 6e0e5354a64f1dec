// The place of the greatest or least element is written in StableHLO as a fold of pairs, of an element and its place, one pair after
// another. It becomes two folds that kernels vectorise: the extreme of the elements, and the least of the places that hold it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Value;

// One of the inputs of a body, with a number that it may have.
struct Picked {
  std::size_t input = 0;
  double number = 0;
};
using Outcome = std::variant<Picked, bool>;

std::optional<bool> outcome_of_compare(const ir::CompareAttributes& compare, double a, double b) {
  if (compare.type == ir::Comparison::TOTALORDER) return std::nullopt;
  switch (compare.direction) {
    case ir::Direction::EQ: return a == b;
    case ir::Direction::NE: return a != b;
    case ir::Direction::LT: return a < b;
    case ir::Direction::LE: return a <= b;
    case ir::Direction::GT: return a > b;
    case ir::Direction::GE: return a >= b;
  }
  return std::nullopt;
}

std::optional<Outcome> outcome_of(const ir::Node& node, std::span<const Outcome> operands) {
  const auto both = [&](auto&& combine) -> std::optional<Outcome> {
    const bool *a = std::get_if<bool>(&operands[0]), *b = std::get_if<bool>(&operands[1]);
    return a && b ? std::optional<Outcome>(combine(*a, *b)) : std::nullopt;
  };
  if (node.op == &ir::ops::and_) return both(std::logical_and());
  if (node.op == &ir::ops::or_) return both(std::logical_or());
  if (node.op == &ir::ops::compare) {
    const Picked *a = std::get_if<Picked>(&operands[0]), *b = std::get_if<Picked>(&operands[1]);
    if (!a || !b) return std::nullopt;
    return outcome_of_compare(node.attributes<ir::CompareAttributes>(), a->number, b->number);
  }
  if (node.op == &ir::ops::select) {
    const bool* const chosen = std::get_if<bool>(&operands[0]);
    return chosen ? std::optional(operands[*chosen ? 1 : 2]) : std::nullopt;
  }
  return std::nullopt;
}

// Returns which input each output of the body is, if the inputs are these numbers; nullopt if the body does more than compare and select.
std::optional<std::vector<std::size_t>> picked_inputs(const ir::Graph& body, std::span<const double> numbers) {
  std::map<const ir::Node*, Outcome> outcomes;
  for (std::size_t i = 0; i < numbers.size(); ++i) outcomes.emplace(body.inputs()[i].node, Picked{i, numbers[i]});
  for (const ir::Node* node : body.nodes()) {
    if (ir::is_parameter(*node)) continue;
    std::vector<Outcome> operands;
    for (const Value operand : node->operands) operands.push_back(outcomes.at(operand.node));
    const std::optional<Outcome> outcome = outcome_of(*node, operands);
    if (!outcome) return std::nullopt;
    outcomes.emplace(node, *outcome);
  }
  std::vector<std::size_t> picked;
  for (const Value output : body.outputs()) {
    const Picked* const input = std::get_if<Picked>(&outcomes.at(output.node));
    if (!input) return std::nullopt;
    picked.push_back(input->input);
  }
  return picked;
}

// Returns whether the body keeps, of two pairs, the first NaN, or else the greatest (or least) element, the first one among equals. A
// body that only compares and selects depends on nothing but the order of the elements and of the places, so all cases are tried.
bool keeps_extreme(const ir::Graph& body, bool greatest) {
  const bool may_be_nan = is_float(body.inputs()[0].dtype());
  const double low = 1, high = 2, nan = std::numeric_limits<double>::quiet_NaN();
  for (const double a : {low, high, nan}) {
    for (const double b : {low, high, nan}) {
      if ((std::isnan(a) || std::isnan(b)) && !may_be_nan) continue;
      const auto picked = picked_inputs(body, std::array{a, 1.0, b, 2.0});
      if (!picked) return false;
      const bool later = !std::isnan(a) && (std::isnan(b) || (greatest ? b > a : b < a));
      const bool is_same = a == b || (std::isnan(a) && std::isnan(b));
      if ((*picked)[1] != (later ? 3U : 1U)) return false;
      if ((*picked)[0] != (later ? 2U : 0U) && !(is_same && (*picked)[0] == 2)) return false;
    }
  }
  return true;
}

bool counts_along(Value v, std::int64_t dimension) {
  if (const auto* broadcast = v.node->attributes_if<ir::BroadcastAttributes>(); broadcast) {
    const auto found = std::ranges::find(broadcast->dimensions, dimension);
    if (found == broadcast->dimensions.end()) return false;
    dimension = found - broadcast->dimensions.begin();
    if (v.node->operand(0).type().dim(dimension) != v.type().dim(*found)) return false;
    v = v.node->operand(0);
  }
  const auto* iota = v.node->attributes_if<ir::IotaAttributes>();
  return iota && iota->dimension == dimension;
}

bool is_splat_of(Value v, std::optional<std::uint64_t> bits) {
  const ir::Literal* const literal = ir::splat_of(v);
  return literal && bits && splat_bits(*literal) == *bits;
}

// Returns the fold of the elements alone: maximum, minimum, or null if the node folds something else.
const ir::Op* extreme_of_pairs(const ir::Node& node) {
  if (node.op != &ir::ops::reduce || node.operands.size() != 4) return nullptr;
  const auto& dimensions = node.attributes<ir::DimensionsAttributes>().dimensions;
  const Type x = node.operand(0).type();
  const DType place = node.operand(1).dtype();
  if (dimensions.size() != 1 || !x.dim(dimensions[0]).is_constant() || (place != DType::i32 && place != DType::i64))
    return nullptr;
  const std::int64_t size = x.size(dimensions[0]);
  if (size == 0 || size > std::numeric_limits<std::int32_t>::max()) return nullptr;
  if (!counts_along(node.operand(1), dimensions[0]) || !is_splat_of(node.operand(3), 0)) return nullptr;
  const ir::Graph& body = *node.regions[0];
  if (body.inputs()[0].dtype() != x.dtype() || body.inputs()[1].dtype() != place) return nullptr;
  for (const ir::Op* op : {&ir::ops::maximum, &ir::ops::minimum})
    if (is_splat_of(node.operand(2), identity_of(*op, x.dtype())) && keeps_extreme(body, op == &ir::ops::maximum))
      return op;
  return nullptr;
}

}  // namespace

std::shared_ptr<ir::Graph> find_extremes(const ir::Graph& graph) {
  // The extreme itself is taken from the pairs if it is needed: a maximum does not say which of 0 and -0 came last.
  std::vector<bool> is_needed(graph.nodes().size());
  const auto need = [&](Value v) {
    if (v.index == 0) is_needed[v.node->id] = true;
  };
  for (const ir::Node* node : graph.nodes()) std::ranges::for_each(node->operands, need);
  std::ranges::for_each(graph.outputs(), need);
  const auto concerns = [&](const ir::Node& node) { return !is_needed[node.id] && extreme_of_pairs(node); };
  return rewrite_where(graph, concerns, [](ir::Graph& to, const ir::Node& node, std::span<const Value> operands) {
    const Value x = operands[0], place = operands[1];
    const auto& along = node.attributes<ir::DimensionsAttributes>().dimensions;
    const Value extreme =
        extreme_of_pairs(node) == &ir::ops::maximum ? ir::reduce_max(x, along) : ir::reduce_min(x, along);
    std::vector<std::int64_t> kept;
    for (int d = 0; d < x.rank(); ++d)
      if (d != along[0]) kept.push_back(d);
    Value holds = ir::compare(x, ir::broadcast_in_dim(extreme, x.type(), kept), ir::Direction::EQ);
    if (is_float(x.dtype())) holds = ir::or_(holds, ir::compare(x, x, ir::Direction::NE));
    const Value beyond = ir::constant(to, place.type(), std::numeric_limits<std::int32_t>::max());
    return std::optional(std::vector{extreme, ir::reduce_min(ir::select(holds, place, beyond), along)});
  });
}

}  // namespace weft::compiler
