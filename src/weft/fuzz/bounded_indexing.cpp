#include <algorithm>

#include <weft/fuzz/bounded_fold.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;
using ir::Value;

namespace {

// Operands before `data` are data; the others are positions, which must be exact.
std::vector<Array> moving_bounds(const BoundedCall& call, std::size_t data) {
  if (call.all_exact()) return same_bounds(call, 0);
  std::vector<Array> operands;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (i >= data && !call[i].is_exact()) return same_bounds(call, infinity);
    operands.push_back(i < data ? call[i].bound : call[i].value);
  }
  return {evaluate_as_doubles(call.node, operands)};
}

// Returns whether the body returns the updates.
bool replaces(const ir::Graph& body) {
  return std::ranges::equal(body.outputs(), body.inputs().last(body.outputs().size()));
}

// Returns, for each operand of a sort, whether the comparator reads it.
std::vector<bool> find_keys(const ir::Graph& comparator) {
  std::vector<bool> keys(comparator.inputs().size() / 2);
  for (std::size_t i = 0; i < comparator.inputs().size(); ++i)
    for (const ir::Node* node : comparator.nodes())
      if (std::ranges::find(node->operands, comparator.inputs()[i]) != node->operands.end()) keys[i / 2] = true;
  return keys;
}

// Sorts the bounds together with the operands.
std::vector<Array> carried_bounds(const BoundedCall& call) {
  ir::Graph graph;
  std::vector<Array> arrays;
  for (const Bounded* operand : call.operands) arrays.push_back(operand->value);
  for (const Bounded* operand : call.operands) arrays.push_back(operand->bound);
  std::vector<Value> values;
  std::vector<Type> scalars;
  for (const Array& array : arrays) {
    values.push_back(graph.add_input(array.type()));
    scalars.insert(scalars.end(), 2, Type(array.dtype(), {}));
  }
  const ir::Graph& comparator = *call.node.regions[0];
  const auto wider = ir::make_graph(scalars, [&](ir::Graph& body, auto v) {
    return ir::inline_graph(body, comparator, v.first(comparator.inputs().size()));
  });
  const ir::Node& sort = graph.append(*call.node.op, values, call.node.attribute_data, {}, std::array{wider});
  std::vector<Array> sorted = ir::interpret_node(sort, arrays);
  sorted.erase(sorted.begin(), sorted.begin() + call.operands.size());
  return sorted;
}

bool has_nan(const Array& array) {
  return std::ranges::any_of(values_of(as_doubles(array)), [](double x) { return std::isnan(x); });
}

}  // namespace

std::vector<Array> indexing_bounds(const BoundedCall& call) { return moving_bounds(call, 1); }

std::vector<Array> update_bounds(const BoundedCall& call) { return moving_bounds(call, 2); }

std::vector<Array> scatter_bounds(const BoundedCall& call) {
  const std::size_t count = call.results.size();
  const ir::Graph& body = *call.node.regions[0];
  const Bounded& indices = call[count];
  if (!indices.is_exact()) return same_bounds(call, infinity);
  const auto folds = folds_of(body);
  if (folds.empty() && !replaces(body)) return is_exact_body(body) ? all_or_nothing(call) : same_bounds(call, infinity);
  std::vector<Array> bounds;
  for (std::size_t i = 0; i < count; ++i) {
    const Bounded &x = call[i], &update = call[count + 1 + i];
    const auto scattered = [&](const std::shared_ptr<const ir::Graph>& f, const Term& term) {
      const std::array operands{terms(x, term), indices.value, terms(update, term)};
      return evaluate_as_doubles(call.node, operands, f);
    };
    if (folds.empty()) {
      const Type scalar(DType::f64, {});
      const auto replacing =
          ir::make_graph(std::array{scalar, scalar}, [](auto&, auto v) { return std::vector{v[1]}; });
      bounds.push_back(scattered(replacing, [](double, double bound) { return bound; }));
      continue;
    }
    bounds.push_back(fold_bound(
        *folds[i], call.results[i], epsilon(call.results[i].dtype()),
        [&](const ir::Op& f, const Term& term) { return scattered(ir::reduction_body(f, DType::f64), term); }));
  }
  return bounds;
}

std::vector<Array> sort_bounds(const BoundedCall& call) {
  const std::vector<bool> keys = find_keys(*call.node.regions[0]);
  // Total order sorts NaN by its sign, which is not guaranteed.
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] && has_nan(call[i].value)) return same_bounds(call, infinity);
  if (call.all_exact()) return same_bounds(call, 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i] || call[i].is_exact()) continue;
    if (call.operands.size() > 1 || !is_float(call.results[0].dtype())) return same_bounds(call, infinity);
    // No element moves further than the one with the largest bound.
    return same_bounds(call, std::ranges::max(values_of(call[i].bound)));
  }
  return carried_bounds(call);
}

// The chosen elements are known if the operand is exact; the source is then folded into them.
std::vector<Array> select_and_scatter_bounds(const BoundedCall& call) {
  const ir::Graph &select = *call.node.regions[0], &scatter = *call.node.regions[1];
  const auto folds = folds_of(scatter);
  if (!call[0].is_exact() || folds.size() != 1) return same_bounds(call, infinity);
  const ir::Node& comparison = *select.outputs()[0].node;
  if (comparison.op != &ir::ops::compare || !std::ranges::equal(comparison.operands, select.inputs()))
    return same_bounds(call, infinity);
  const auto& how = comparison.attributes<ir::CompareAttributes>();
  const Array& x = call[0].value;
  // The windows select by the exact values of the operand, so f64 must represent them exactly.
  if (is_integer(x.dtype()) && byte_size(x.dtype()) == 8) return all_or_nothing(call);
  const Array as_f64 = as_doubles(x);
  return {fold_bound(*folds[0], call.results[0], epsilon(x.dtype()), [&](const ir::Op& f, const Term& term) {
    const std::array operands{as_f64, terms(call[1], term), terms(call[2], term)};
    ir::Graph one;
    std::vector<Value> values;
    for (const Array& operand : operands) values.push_back(one.add_input(operand.type()));
    const std::array bodies{
        ir::comparison_body(how.direction, DType::f64, is_float(x.dtype()) ? how.type : ir::Comparison::NOTYPE),
        ir::reduction_body(f, DType::f64)};
    return ir::interpret_node(one.append(*call.node.op, values, call.node.attribute_data, {}, bodies), operands)[0];
  })};
}

}  // namespace weft::fuzz
