#include <weft/ir/interpreter.h>

#include <algorithm>

#include <weft/ir/interpreter/columns.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::ir {

namespace interpreter {

namespace {

std::vector<Array> by_scalars(const NodeCall& call) {
  Array result(call.type());
  Columns columns(result.size());
  std::vector<Scalar> operands;
  for (const Array* x : call.operands) {
    const bool for_all = x->type().rank() == 0;  // the predicate of select, a bound of clamp, or an op on rank-0 values
    operands.push_back(for_all ? columns.same_for_all(x->dtype(), x->bytes().data())
                               : columns.rows(x->dtype(), x->bytes().data()));
  }
  const Scalar value = call.node.op->scalar(columns, {operands, result.dtype(), call.node.attribute_data});
  columns.read(value, result.bytes().data());
  return one(std::move(result));
}

std::vector<Array> by_parts(const NodeCall& call) {
  const Parts parts = call.node.op->parts(call.node);
  std::vector<Array> results;
  for (const Type type : call.node.types) results.emplace_back(type);
  std::vector<const std::byte*> from;
  std::vector<std::byte*> to;
  for (const Array* operand : call.operands) from.push_back(operand->bytes().data());
  for (Array& result : results) to.push_back(result.bytes().data());
  if (parts.count > 0) parts.compute(0, parts.count, from, to);
  return results;
}

std::vector<Array> evaluate_node(const Node& node, std::span<const Array* const> operands, const Context& context) {
  for (const Type type : node.types)
    require(type.is_static(), "interpret: ", node.op->name, " gives ", type, ", whose size is unknown");
  require(is_static(node), "interpret: the attributes of ", node.op->name, " depend on unknown sizes");
  const NodeCall call{node, operands, context};
  return node.op->scalar ? by_scalars(call) : node.op->parts ? by_parts(call) : node.op->interpret(call);
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
    if (v.node->op == &ops::parameter) return *inputs_[v.node->attributes<ParameterAttributes>().index];
    return results_[v.node->id][v.index];
  }

  // Returns, by node id, the id of the last node that reads a result of the node: its own id if there is none, and the number of
  // nodes if a result is an output.
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
