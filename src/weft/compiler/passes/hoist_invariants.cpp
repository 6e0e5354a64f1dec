// Moves what a loop computes in every step from values that it never changes in front of the loop, which keeps the results as further carried
// values. Only what takes longer to compute than to read is moved, and what would be stored in every step: a mask or a broadcast would need
// memory instead of a few operations.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/loop/cost.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

constexpr int long_function = 12;  // operations for an element

std::int64_t bytes_of(const Node& n) {
  std::int64_t bytes = 0;
  for (const Type type : n.types) bytes += type.bytes();
  return bytes;
}

std::int64_t operand_bytes(const Node& n) {
  std::int64_t bytes = 0;
  for (const Value v : n.operands) bytes += v.type().bytes();
  return bytes;
}

bool takes_long(const Node& n) {
  switch (n.op->kind) {
    case ir::Kind::contraction:
    case ir::Kind::reduction:
    case ir::Kind::indexing: return true;
    case ir::Kind::opaque: return n.op->flow == ir::Flow::none && n.op != &ir::ops::custom_call;
    case ir::Kind::elementwise:
      return !n.operands.empty() &&
             cost_of(*n.op, n.attribute_data, n.operand(0).dtype(), n.type().dtype()) >= long_function;
    default: return false;
  }
}

bool may_move(const Node& n) {
  return !ir::has_side_effect(n) && ir::is_static(n) && n.op->kind != ir::Kind::control &&
         n.op->kind != ir::Kind::collective && (n.op->kind != ir::Kind::opaque || takes_long(n));
}

// Returns for each node of a loop's body whether ops that no kernel contains read its results from memory.
std::vector<bool> read_from_memory(const Graph& body) {
  std::vector<bool> is_read(body.nodes().size());
  for (std::size_t i = body.nodes().size(); i-- > 0;) {
    const Node& n = *body.nodes()[i];
    const bool is_alone =
        n.op->kind == ir::Kind::contraction || n.op->kind == ir::Kind::opaque || n.op == &ir::ops::scatter;
    const bool shares_bytes = is_read[i] && n.op->kind == ir::Kind::shape && n.operands.size() == 1;
    if (is_alone || shares_bytes)
      for (const Value v : n.operands) is_read[v.node->id] = true;
  }
  return is_read;
}

// Returns the results in a loop's body that are worth moving, in order.
std::vector<Value> worth_moving(const Graph& body) {
  const std::size_t count = body.nodes().size();
  const std::vector<bool> is_read = read_from_memory(body);
  std::vector<bool> is_invariant(count), is_moved(count), is_used(count);
  for (std::size_t i = 0; i < body.inputs().size(); ++i)
    is_invariant[body.inputs()[i].node->id] = body.outputs()[i] == body.inputs()[i];
  for (const Node* n : body.nodes()) {
    if (ir::is_parameter(*n)) continue;
    const auto invariant = [&](Value v) { return is_invariant[v.node->id]; };
    const auto moved = [&](Value v) { return is_moved[v.node->id]; };
    is_invariant[n->id] = may_move(*n) && std::ranges::all_of(n->operands, invariant);
    if (!is_invariant[n->id] || n->operands.empty()) continue;
    const bool follows = std::ranges::any_of(n->operands, moved);
    const bool is_stored = n->op->kind == ir::Kind::elementwise && is_read[n->id];
    is_moved[n->id] = (takes_long(*n) || follows || is_stored) && bytes_of(*n) <= operand_bytes(*n);
  }
  for (const Node* n : body.nodes())
    if (!is_moved[n->id])
      for (const Value v : n->operands) is_used[v.node->id] = true;
  for (const Value v : body.outputs()) is_used[v.node->id] = true;
  std::vector<Value> values;
  for (Node* n : body.nodes())
    if (is_moved[n->id] && is_used[n->id])
      for (std::uint32_t i = 0; i < n->types.size(); ++i) values.push_back(n->result(i));
  return values;
}

// Returns a region with further inputs, which stand for `moved`; a body returns them unchanged.
std::shared_ptr<const Graph> with_inputs(const Graph& region, std::span<const Value> moved, bool is_body) {
  std::vector<Type> types = ir::types_of(region.inputs());
  const std::vector<Type> further = ir::types_of(moved);
  types.insert(types.end(), further.begin(), further.end());
  return ir::make_graph(types, [&](Graph& into, std::span<const Value> inputs) {
    ir::Inliner inliner(into, region);
    const std::size_t count = region.inputs().size();
    for (std::size_t i = 0; i < count; ++i) inliner.substitute(region.inputs()[i], inputs[i]);
    if (is_body)
      for (std::size_t i = 0; i < moved.size(); ++i) inliner.substitute(moved[i], inputs[count + i]);
    std::vector<Value> outputs = inliner.copy_with_effects(region.outputs());
    if (is_body) outputs.insert(outputs.end(), inputs.begin() + static_cast<std::ptrdiff_t>(count), inputs.end());
    return outputs;
  });
}

bool is_loop(const Node& n) { return n.op->flow == ir::Flow::loop; }

}  // namespace

std::shared_ptr<Graph> hoist_invariants(const Graph& graph) {
  return rewrite_where(
      graph, is_loop,
      [](Graph& to, const Node& loop, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
        const std::shared_ptr<const Graph> changed = hoist_invariants(*loop.regions[1]);  // from the loops in its body
        const Graph& body = changed ? *changed : *loop.regions[1];
        const std::vector<Value> moved = worth_moving(body);
        if (moved.empty() && !changed) return std::nullopt;
        ir::Inliner inliner(to, body);
        for (std::size_t i = 0; i < operands.size(); ++i)
          if (body.outputs()[i] == body.inputs()[i]) inliner.substitute(body.inputs()[i], operands[i]);
        std::vector<Value> carried(operands.begin(), operands.end());
        const std::vector<Value> before = inliner.copy(moved);
        carried.insert(carried.end(), before.begin(), before.end());
        const std::shared_ptr<const Graph> regions[] = {with_inputs(*loop.regions[0], moved, false),
                                                        with_inputs(body, moved, true)};
        Node& made = to.append(*loop.op, carried, loop.attribute_data, ir::types_of(carried), regions);
        std::vector<Value> results;
        for (std::uint32_t i = 0; i < operands.size(); ++i) results.push_back(made.result(i));
        return results;
      });
}

}  // namespace weft::compiler
