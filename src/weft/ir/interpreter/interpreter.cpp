#include <weft/ir/interpreter.h>

#include <algorithm>

#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::ir {

namespace interpreter {

namespace {

std::span<const RuleEntry> rules_of(Kind kind) {
  switch (kind) {
    case Kind::elementwise: return {};
    case Kind::shape: return shape_rules;
    case Kind::reduction: return reduction_rules;
    case Kind::contraction: return contraction_rules;
    case Kind::indexing: return indexing_rules;
    case Kind::control: return control_rules;
    case Kind::source: return source_rules;
    case Kind::collective: return collective_rules;
    case Kind::opaque: return opaque_rules;
  }
  __builtin_unreachable();
}

std::vector<Array> evaluate_node(const Node& node, std::span<const Array* const> operands, const Context& context) {
  for (const Type type : node.types)
    require(type.is_static(), "interpret: ", node.op->name, " gives ", type, ", whose size is not known");
  require(is_static(node), "interpret: the attributes of ", node.op->name, " depend on sizes that are not known");
  const Rule rule = find_rule(*node.op);
  WEFT_ASSERT(rule, "the interpreter has no rule for ", node.op->name);
  return rule({node, operands, context});
}

// One run of a graph.
class Execution {
 public:
  Execution(const Graph& graph, std::span<const Array* const> inputs, const Context& context)
      : graph_(graph), inputs_(inputs), context_(context), results_(graph.nodes().size()) {}

  std::vector<Array> run() {
    const std::vector<std::uint32_t> last_uses = find_last_uses();
    std::vector<const Array*> operands;
    for (const Node* node : graph_.nodes()) {
      if (node->op == &ops::parameter) continue;
      operands.clear();
      for (const Value v : node->operands) operands.push_back(&array(v));
      results_[node->id] = evaluate_node(*node, operands, context_);
      if (last_uses[node->id] == node->id) results_[node->id].clear();
      for (const Value v : node->operands)
        if (last_uses[v.node->id] == node->id) results_[v.node->id].clear();
    }
    std::vector<Array> outputs;
    for (const Value v : graph_.outputs()) outputs.push_back(array(v));
    return outputs;
  }

 private:
  const Array& array(Value v) const {
    if (v.node->op == &ops::parameter)
      return *inputs_[static_cast<std::size_t>(v.node->attributes<ParameterAttributes>().index)];
    return results_[v.node->id][v.index];
  }

  // By node: the id of the last node that reads a result of it; its own where there is none, one past all where it is an output.
  std::vector<std::uint32_t> find_last_uses() const {
    std::vector<std::uint32_t> last(graph_.nodes().size());
    for (const Node* node : graph_.nodes()) {
      last[node->id] = node->id;
      for (const Value v : node->operands) last[v.node->id] = node->id;
    }
    for (const Value v : graph_.outputs()) last[v.node->id] = static_cast<std::uint32_t>(last.size());
    return last;
  }

  const Graph& graph_;
  std::span<const Array* const> inputs_;
  const Context& context_;
  std::vector<std::vector<Array>> results_;  // by node
};

}  // namespace

Rule find_rule(const Op& op) {
  if (op.kind == Kind::elementwise) return elementwise_rule;
  const auto rules = rules_of(op.kind);
  const auto found = std::ranges::find(rules, &op, &RuleEntry::op);
  return found == rules.end() ? nullptr : found->rule;
}

std::vector<Array> run(const Graph& graph, std::span<const Array* const> inputs, const Context& context) {
  require(inputs.size() == graph.inputs().size(), "interpret: ", graph.name, " takes ", graph.inputs().size(),
          " inputs, got ", inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i]->type() == graph.inputs()[i].type(), "interpret: input ", i, " of ", graph.name, " is ",
            graph.inputs()[i].type(), ", got ", inputs[i]->type());
  return Execution(graph, inputs, context).run();
}

}  // namespace interpreter

std::vector<Array> interpret(const Graph& graph, std::span<const Array> inputs, const InterpretOptions& options) {
  interpreter::ProcessGrid alone(1, 1);
  interpreter::Probes probes;
  return interpreter::run(graph, interpreter::pointers(inputs), {options, &alone, &probes});
}

std::vector<Array> interpret_node(const Node& node, std::span<const Array> operands) {
  require(operands.size() == node.operands.size(), "interpret_node: ", node.op->name, " takes ", node.operands.size(),
          " operands, got ", operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    require(operands[i].type() == node.operands[i].type(), "interpret_node: operand ", i, " of ", node.op->name, " is ",
            node.operands[i].type(), ", got ", operands[i].type());
  interpreter::ProcessGrid alone(1, 1);
  interpreter::Probes probes;
  return interpreter::evaluate_node(node, interpreter::pointers(operands), {{}, &alone, &probes});
}

}  // namespace weft::ir
