#include <weft/compiler/spmd/look_ahead.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include <weft/ir/inline.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Node;
using ir::Sharding;
using ir::Value;

bool is_exchange(const Node& node) {
  return node.op->collective != ir::Collective::none && node.op->collective != ir::Collective::process_id;
}

class StepDivision {
 public:
  StepDivision(const Partitioned& step, std::span<const StepInput> inputs, std::span<const std::size_t> results,
               Ahead ahead)
      : step_(step),
        graph_(*step.graph),
        inputs_(inputs),
        ahead_(ahead),
        depends_(graph_.nodes().size()),
        is_live_(graph_.nodes().size()),
        leads_to_exchange_(graph_.nodes().size()) {
    for (const std::size_t i : results) {
      // What the caller gets is exchanged last: nothing of the step waits for it.
      Value result = graph_.outputs()[i];
      while (is_exchange(*result.node)) result = result.node->operand(static_cast<int>(result.index));
      results_.push_back(result);
    }
    find_live();
    find_dependencies();
    find_values();
  }

  std::optional<LookAhead> programs() {
    if (ids_.empty() && lookups_.empty()) return std::nullopt;
    find_inputs();
    LookAhead made;
    made.step = step_.graph;
    made.batch = batch_;
    made.tables = tables_;
    for (const Value v : values()) {
      made.values.push_back(v.type());
      for (const Communication& c : step_.communications)
        if (c.node == v.node && c.operand == v.index) made.exchanges.push_back(c);
    }
    made.fill = make_fill();
    made.steady = make_steady();
    made.drain = make_drain();
    return made;
  }

 private:
  // What a value depends on. A value that depends on nothing, such as a constant, belongs to both parts.
  enum Dependency : std::uint8_t { on_batch = 1, on_tables = 2, on_others = 4 };

  void find_live() {
    for (const Node* node : graph_.nodes()) is_live_[node->id] = ir::has_side_effect(*node) ? 1 : 0;
    for (const Value v : graph_.outputs()) is_live_[v.node->id] = 1;
    for (std::size_t id = is_live_.size(); id-- > 0;)
      if (is_live_[id])
        for (const Value v : graph_.nodes()[id]->operands) is_live_[v.node->id] = 1;
  }

  void find_dependencies() {
    for (const Node* node : graph_.nodes()) {
      std::uint8_t& depends = depends_[node->id];
      if (node->op == &ir::ops::parameter) {
        const StepInput::Kind kind = inputs_[node->attributes<ir::ParameterAttributes>().index].kind;
        depends = kind == StepInput::Kind::batch ? on_batch : kind == StepInput::Kind::table ? on_tables : on_others;
        continue;
      }
      for (const Value v : node->operands) depends |= depends_[v.node->id];
      if (ir::has_side_effect(*node)) depends |= on_others;
    }
  }

  bool may_run_ahead(const Node& node) const {
    const std::uint8_t depends = depends_[node.id];
    return is_live_[node.id] && is_exchange(node) && node.type().rank() > 0 &&
           (depends == on_batch || (ahead_ != Ahead::ids && depends == (on_batch | on_tables)));
  }

  // Finds the results of exchanges that the rest of the step needs.
  void find_values() {
    for (std::size_t id = leads_to_exchange_.size(); id-- > 0;) {
      const Node& node = *graph_.nodes()[id];
      if (!may_run_ahead(node) && !leads_to_exchange_[id]) continue;
      for (const Value v : node.operands) leads_to_exchange_[v.node->id] = 1;
    }
    const auto need = [&](Value v) {
      if (!may_run_ahead(*v.node)) return;
      std::vector<Value>& values = depends_[v.node->id] == on_batch ? ids_ : lookups_;
      if (std::ranges::find(values, v) == values.end()) values.push_back(v);
    };
    for (const Node* node : graph_.nodes()) {
      const bool is_ahead = leads_to_exchange_[node->id] || may_run_ahead(*node);
      if (is_live_[node->id] && !is_ahead) std::ranges::for_each(node->operands, need);
    }
    std::ranges::for_each(graph_.outputs(), need);
  }

  std::vector<Value> values() const {
    std::vector<Value> all = ids_;
    all.insert(all.end(), lookups_.begin(), lookups_.end());
    return all;
  }

  // Notes the inputs on which the values depend.
  void find_inputs() {
    std::vector<char> needed(graph_.nodes().size());
    for (const Value v : values()) needed[v.node->id] = 1;
    for (std::size_t id = needed.size(); id-- > 0;)
      if (needed[id])
        for (const Value v : graph_.nodes()[id]->operands) needed[v.node->id] = 1;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (needed[graph_.inputs()[i].node->id])
        (inputs_[i].kind == StepInput::Kind::table ? tables_ : batch_).push_back(i);
  }

  // Each device has a value of its own: they are told apart along the first dimension.
  Sharding sharding_of(Value v) const {
    std::vector<Sharding::Axes> dims(v.rank());
    dims[0].resize(step_.mesh.axes().size());
    std::iota(dims[0].begin(), dims[0].end(), 0);
    return {step_.mesh, std::move(dims)};
  }

  // A program that is being made.
  struct Program {
    explicit Program(const Partitioned& of) : step(of) { graph->name = of.graph->name; }

    Value add_input(Type local, const Sharding& sharding) {
      made.inputs.push_back(sharding);
      return graph->add_input(local);
    }
    void add_output(Value v, const Sharding& sharding) {
      outputs.push_back(v);
      made.outputs.push_back(sharding);
    }
    // Notes the communications of the nodes that were copied.
    void note(const ir::Inliner& copied) {
      for (Communication c : step.communications) {
        if (c.node->graph == step.graph.get()) {
          const Value copy = copied.found({const_cast<Node*>(c.node), c.operand});
          if (!copy || copy.node->op != c.node->op) continue;
          c.node = copy.node;
        }
        made.communications.push_back(std::move(c));
      }
    }
    Partitioned finish() {
      graph->set_outputs(std::move(outputs));
      made.mesh = step.mesh;
      made.graph = graph;
      return std::move(made);
    }

    const Partitioned& step;
    std::shared_ptr<ir::Graph> graph = std::make_shared<ir::Graph>();
    Partitioned made;
    std::vector<Value> outputs;
  };

  std::vector<Value> add_values(Program& to) const {
    std::vector<Value> inputs;
    for (const Value v : values()) inputs.push_back(to.add_input(v.type(), sharding_of(v)));
    return inputs;
  }
  std::vector<Value> add_inputs(Program& to, std::span<const std::size_t> of_step) const {
    std::vector<Value> inputs;
    for (const std::size_t i : of_step) inputs.push_back(to.add_input(graph_.inputs()[i].type(), step_.inputs[i]));
    return inputs;
  }
  std::vector<Value> add_inputs_of_step(Program& to) const {
    std::vector<std::size_t> all(graph_.inputs().size());
    std::iota(all.begin(), all.end(), 0);
    return add_inputs(to, all);
  }
  void add_value_outputs(Program& to, std::span<const Value> made) const {
    const std::vector<Value> all = values();
    for (std::size_t i = 0; i < made.size(); ++i) to.add_output(made[i], sharding_of(all[i]));
  }

  // Copies the part of the next step into a program.
  ir::Inliner begin_ahead(Program& to, std::span<const Value> batch) const {
    ir::Inliner inliner(*to.graph, graph_);
    for (std::size_t i = 0; i < batch_.size(); ++i) inliner.substitute(graph_.inputs()[batch_[i]], batch[i]);
    return inliner;
  }
  std::vector<Value> copy_lookups(ir::Inliner& ahead, std::span<const Value> tables) const {
    for (std::size_t i = 0; i < tables_.size(); ++i) ahead.substitute(graph_.inputs()[tables_[i]], tables[i]);
    return ahead.copy(lookups_);
  }

  Partitioned make_fill() const {
    Program program(step_);
    const std::vector<Value> batch = add_inputs(program, batch_), tables = add_inputs(program, tables_);
    ir::Inliner ahead = begin_ahead(program, batch);
    std::vector<Value> made = ahead.copy(ids_);
    const std::vector<Value> lookups = copy_lookups(ahead, tables);
    made.insert(made.end(), lookups.begin(), lookups.end());
    add_value_outputs(program, made);
    program.note(ahead);
    return program.finish();
  }

  // Begins the step itself, for which the values are ready.
  ir::Inliner begin_step(Program& to, std::span<const Value> inputs, std::span<const Value> ready) const {
    ir::Inliner inliner(*to.graph, graph_);
    const std::vector<Value> all = values();
    for (std::size_t i = 0; i < all.size(); ++i) inliner.substitute(all[i], ready[i]);
    for (std::size_t i = 0; i < inputs.size(); ++i) inliner.substitute(graph_.inputs()[i], inputs[i]);
    return inliner;
  }
  void end_step(Program& to, ir::Inliner& step) const {
    const std::vector<Value> outputs = step.copy_with_effects(graph_.outputs());
    for (std::size_t i = 0; i < outputs.size(); ++i) to.add_output(outputs[i], step_.outputs[i]);
    to.note(step);
  }

  Partitioned make_drain() const {
    Program program(step_);
    const std::vector<Value> inputs = add_inputs_of_step(program), ready = add_values(program);
    ir::Inliner step = begin_step(program, inputs, ready);
    end_step(program, step);
    return program.finish();
  }

  // The order of the nodes is that in which they are to run, as far as streams leave a choice: the exchange of ids beside the backward pass,
  // where it delays no exchange that the forward pass waits for; lookups as soon as they may read the tables.
  Partitioned make_steady() const {
    Program program(step_);
    const std::vector<Value> inputs = add_inputs_of_step(program), ready = add_values(program);
    const std::vector<Value> batch = add_inputs(program, batch_);
    ir::Inliner step = begin_step(program, inputs, ready), ahead = begin_ahead(program, batch);
    step.copy(results_);
    std::vector<Value> made = ahead.copy(ids_);
    std::vector<Value> tables;
    for (const std::size_t i : tables_) {
      const bool is_updated = inputs_[i].next >= 0 && ahead_ != Ahead::stale_lookups;
      tables.push_back(is_updated ? step.copy(graph_.outputs().subspan(inputs_[i].next, 1)).front() : inputs[i]);
    }
    const std::vector<Value> lookups = copy_lookups(ahead, tables);
    made.insert(made.end(), lookups.begin(), lookups.end());
    end_step(program, step);
    add_value_outputs(program, made);
    program.note(ahead);
    return program.finish();
  }

  const Partitioned& step_;
  const ir::Graph& graph_;
  std::span<const StepInput> inputs_;
  Ahead ahead_;
  std::vector<Value> results_;
  std::vector<std::uint8_t> depends_, is_live_, leads_to_exchange_;  // of each node
  std::vector<Value> ids_, lookups_;
  std::vector<std::size_t> batch_, tables_;
};

}  // namespace

std::optional<LookAhead> look_ahead(const Partitioned& step, std::span<const StepInput> inputs,
                                    std::span<const std::size_t> results, Ahead ahead) {
  if (ahead == Ahead::nothing) return std::nullopt;
  return StepDivision(step, inputs, results, ahead).programs();
}

}  // namespace weft::compiler
