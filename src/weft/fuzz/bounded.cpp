#include <weft/fuzz/bounded.h>

#include <algorithm>
#include <deque>

#include <weft/fuzz/bounded_rules.h>
#include <weft/fuzz/grower.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Array;
using ir::Kind;
using ir::Value;

namespace {

BoundRule rule_of(const ir::Op& op) {
  if (const FuzzEntry* entry = find_entry(op); entry && entry->bounds) return entry->bounds;
  switch (op.kind) {
    case Kind::elementwise: return elementwise_bounds;
    case Kind::shape: return shape_bounds;
    case Kind::reduction: return reduction_bounds;
    case Kind::contraction: return contraction_bounds;
    case Kind::indexing: return indexing_bounds;
    case Kind::control:
    case Kind::source:
    case Kind::collective:
    case Kind::opaque: return all_or_nothing;
  }
  __builtin_unreachable();
}

// A sum that is negated or scaled before its parts are added promises no sign of zero: -(1 - 1) is -0, -1 + 1 is 0. So a result
// that is 0 gets a bound which only tells the two zeros apart.
void forget_signs_of_zeros(const Array& result, Array& bound) {
  if (!is_float(result.dtype())) return;
  std::int64_t i = 0;
  for (double& b : bound.data<double>()) {
    if (result.element(i++) == 0) b = std::max(b, std::numeric_limits<double>::denorm_min());
  }
}

std::vector<Bounded> evaluate(const ir::Node& node, std::span<const Bounded* const> operands,
                              const Arithmetic& arithmetic) {
  if (node.op->kind == Kind::control) return evaluate_control(node, operands, arithmetic);
  std::vector<Array> values;
  for (const Bounded* operand : operands) values.push_back(operand->value);
  std::vector<Array> results = ir::interpret_node(node, values);
  std::vector<Array> bounds = rule_of(*node.op)({node, operands, results, arithmetic});
  WEFT_ASSERT(bounds.size() == results.size(), node.op->name, " has ", bounds.size(), " bounds");
  std::vector<Bounded> both;
  for (std::size_t i = 0; i < results.size(); ++i) {
    WEFT_ASSERT(bounds[i].type() == results[i].type().with(DType::f64), node.op->name, ": bounds ", bounds[i].type());
    if (arithmetic.parts && node.op->linear) forget_signs_of_zeros(results[i], bounds[i]);
    both.emplace_back(std::move(results[i]), std::move(bounds[i]));
  }
  return both;
}

}  // namespace

Bounded::Bounded(Array v) : value(std::move(v)), bound(value.type().with(DType::f64)) {}

bool Bounded::is_exact() const {
  return std::ranges::all_of(bound.data<double>(), [](double b) { return b == 0; });
}

bool Bounded::is_known() const {
  return std::ranges::all_of(bound.data<double>(), [](double b) { return b < infinity; });
}

bool BoundedCall::all_exact() const {
  return std::ranges::all_of(operands, [](const Bounded* b) { return b->is_exact(); });
}

std::vector<Bounded> run_bounded(const ir::Graph& graph, std::span<const Bounded* const> inputs,
                                 const Arithmetic& arithmetic) {
  std::vector<std::vector<Bounded>> results(graph.nodes().size());
  std::size_t next_input = 0;
  const auto at = [&](Value v) -> const Bounded& { return results[v.node->id][v.index]; };
  for (const ir::Node* node : graph.nodes()) {
    if (ir::is_parameter(*node)) {
      results[node->id].push_back(*inputs[next_input++]);
      continue;
    }
    std::vector<const Bounded*> operands;
    for (const Value v : node->operands) operands.push_back(&at(v));
    results[node->id] = evaluate(*node, operands, arithmetic);
  }
  std::vector<Bounded> outputs;
  for (const Value v : graph.outputs()) outputs.push_back(at(v));
  return outputs;
}

std::vector<Bounded> interpret_bounded(const ir::Graph& graph, std::span<const Array> inputs,
                                       const Arithmetic& arithmetic) {
  require(inputs.size() == graph.inputs().size(), "interpret_bounded: ", graph.name, " takes ", graph.inputs().size(),
          " inputs, got ", inputs.size());
  std::deque<Bounded> exact;
  std::vector<const Bounded*> pointers;
  for (const Array& input : inputs) pointers.push_back(&exact.emplace_back(input));
  return run_bounded(graph, pointers, arithmetic);
}

std::vector<Array> same_bounds(const BoundedCall& call, double bound) {
  std::vector<Array> bounds;
  for (const Array& result : call.results) bounds.push_back(Array::splat(result.type().with(DType::f64), bound));
  return bounds;
}

std::vector<Array> all_or_nothing(const BoundedCall& call) {
  return same_bounds(call, call.all_exact() ? 0 : infinity);
}

Array doubles(Type shape, const std::function<double(std::int64_t)>& f) {
  Array result(shape.with(DType::f64));
  std::int64_t i = 0;
  for (double& x : result.data<double>()) x = f(i++);
  return result;
}

Array as_doubles(const Array& array) {
  return doubles(array.type(), [&](std::int64_t i) { return array.element(i); });
}

Array magnitudes(const Array& array) {
  return doubles(array.type(), [&](std::int64_t i) { return std::abs(array.element(i)); });
}

Array evaluate_as_doubles(const ir::Node& node, std::span<const Array> operands,
                          std::shared_ptr<const ir::Graph> body) {
  ir::Graph graph;
  std::vector<Value> values;
  for (const Array& operand : operands) values.push_back(graph.add_input(operand.type()));
  const std::array types{node.type().with(DType::f64)};
  const std::span<const std::shared_ptr<const ir::Graph>> regions(&body, body ? 1 : 0);
  return ir::interpret_node(graph.append(*node.op, values, node.attribute_data, types, regions), operands)[0];
}

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    case DType::f32: return 0x1p-23;
    default: return 0x1p-52;
  }
}

double largest_finite(DType dtype) {
  switch (dtype) {
    case DType::f16: return 65504;
    case DType::bf16: return 0x1.fep127;
    case DType::f32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

double accumulation_epsilon(DType dtype, const Arithmetic& arithmetic) {
  return arithmetic.parts ? epsilon(dtype) : std::min(epsilon(dtype), epsilon(DType::f32));
}

double ulp(double x, DType dtype) {
  if (!std::isfinite(x)) return 0;
  const int lowest = dtype == DType::f16 ? -14 : dtype == DType::f64 ? -1022 : -126;
  const int exponent = x == 0 ? lowest : std::max(std::ilogb(x), lowest);
  return std::ldexp(epsilon(dtype), exponent);
}

}  // namespace weft::fuzz
