#include <weft/jit/look_ahead.h>

#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>

namespace weft::jit {

namespace {

using ir::Node;
using ir::Sharding;
using ir::Value;

// The operands of a node that are the ids of lookups, where they end and their weights.
std::vector<Value> ids_of(const Node& node) {
  std::vector<Value> ids;
  const auto add = [&](const ir::LookupOperandPlaces& at) {
    for (const int operand : {at.ids, at.ends, at.weights})
      if (operand >= 0) ids.push_back(node.operand(operand));
  };
  if (const auto* update = node.attributes_if<ir::EmbeddingUpdateAttributes>()) {
    for (const auto& lookup : ir::update_operands(*update).lookups) add(lookup);
  } else if (const auto* a = node.attributes_if<ir::EmbeddingAttributes>()) {
    const int tables = ir::lookup_tables(node);
    const bool is_bag = node.op == &ir::ops::embedding_bag, is_gradient = node.op == &ir::ops::embedding_bag_gradient;
    add(ir::lookup_operand_places(is_bag ? tables : is_gradient ? 1 : tables + 1, a->weighted, a->placed > 0));
  }
  return ids;
}

class Division {
 public:
  Division(const ir::Graph& step, std::span<const Value> outputs, std::span<const Value> results,
           std::span<const StepInput> inputs, Ahead ahead)
      : step_(step),
        outputs_(outputs),
        results_(results),
        inputs_(inputs),
        ahead_(ahead),
        depends_(step.nodes().size()),
        is_ahead_(step.nodes().size()),
        is_live_(step.nodes().size()) {
    find_live();
    find_dependencies();
    find_ids();
    if (ahead != Ahead::ids) find_lookups();
  }

  std::optional<LookAhead> programs() {
    if (ids_.empty() && cuts_.empty()) return std::nullopt;
    find_inputs();
    LookAhead made;
    made.batch = batch_;
    made.tables = tables_;
    made.fill = make_fill();
    made.steady = make_steady();
    made.drain = make_drain();
    for (const Value v : values()) {
      made.values.push_back(v.type());
      made.shardings.push_back(sharding_of(v));
      made.inputs.push_back(is_input(v) ? static_cast<std::int64_t>(v.node->attributes<ir::ParameterAttributes>().index)
                                        : -1);
      made.names.push_back(
          is_input(v) ? std::string()
                      : concat(v.node->op->name,
                               v.node->location.line == 0 ? "" : concat(" at ", ir::place_text(v.node->location))));
    }
    return made;
  }

 private:
  // What a value depends on. A value that depends on nothing, such as a constant, belongs to both parts.
  enum Dependency : std::uint8_t { on_batch = 1, on_tables = 2, on_others = 4 };

  bool is_input(Value v) const { return v.node->op == &ir::ops::parameter; }
  const StepInput& input(Value v) const { return inputs_[v.node->attributes<ir::ParameterAttributes>().index]; }

  void find_live() {
    for (const Node* node : step_.nodes()) is_live_[node->id] = ir::has_side_effect(*node) ? 1 : 0;
    for (const Value v : outputs_) is_live_[v.node->id] = 1;
    for (std::size_t id = is_live_.size(); id-- > 0;)
      if (is_live_[id])
        for (const Value v : step_.nodes()[id]->operands) is_live_[v.node->id] = 1;
  }

  void find_dependencies() {
    for (const Node* node : step_.nodes()) {
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

  // On a mesh, all devices need the ids.
  void find_ids() {
    for (const Node* node : step_.nodes())
      for (const Value v : ids_of(*node)) {
        if (!is_live_[node->id] || depends_[v.node->id] != on_batch || std::ranges::find(ids_, v) != ids_.end())
          continue;
        if (mesh() && !(is_input(v) && input(v).sharding->is_replicated())) ids_.push_back(v);
      }
  }

  // Lookups, and sums of what they pool. What follows is left to the step that needs it: an exchange then ends a program, and the next one
  // begins while it is on its way.
  void find_lookups() {
    const auto may_be_ahead = [](const Node& node) {
      return node.op == &ir::ops::embedding_bag || node.op == &ir::ops::reshape || node.op->kind == ir::Kind::reduction;
    };
    for (const Node* node : step_.nodes())
      is_ahead_[node->id] = may_be_ahead(*node) && depends_[node->id] == (on_tables | on_batch) &&
                            std::ranges::all_of(node->operands, [&](Value v) {
                              return depends_[v.node->id] <= on_tables || is_ahead_[v.node->id] != 0;
                            });
    const auto cut = [&](Value v) {
      if (is_ahead_[v.node->id] && std::ranges::find(cuts_, v) == cuts_.end()) cuts_.push_back(v);
    };
    for (const Node* node : step_.nodes())
      if (is_live_[node->id] && !is_ahead_[node->id]) std::ranges::for_each(node->operands, cut);
    std::ranges::for_each(outputs_, cut);
  }

  std::vector<Value> values() const {
    std::vector<Value> all = ids_;
    all.insert(all.end(), cuts_.begin(), cuts_.end());
    return all;
  }

  // Notes the inputs on which the values depend.
  void find_inputs() {
    std::vector<char> needed(step_.nodes().size());
    for (const Value v : values()) needed[v.node->id] = 1;
    for (std::size_t id = needed.size(); id-- > 0;)
      if (needed[id])
        for (const Value v : step_.nodes()[id]->operands) needed[v.node->id] = 1;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!needed[step_.inputs()[i].node->id]) continue;
      (inputs_[i].kind == StepInput::Kind::table ? tables_ : batch_).push_back(i);
    }
  }

  const ir::Mesh* mesh() const {
    const auto found = std::ranges::find_if(inputs_, [](const StepInput& input) { return input.sharding.has_value(); });
    return found == inputs_.end() ? nullptr : &found->sharding->mesh();
  }

  // All devices have the ids; other values are divided as the batch is.
  std::optional<Sharding> sharding_of(Value v) const {
    if (!mesh()) return std::nullopt;
    std::vector<Sharding::Axes> dims(v.rank());
    if (std::ranges::find(ids_, v) == ids_.end() && v.rank() > 0)
      for (const std::size_t i : batch_) {
        if (inputs_[i].sharding->rank() == 0) continue;
        const Sharding::Axes& axes = inputs_[i].sharding->axes(0);
        if (axes.empty() || v.type().size(0) % ir::devices_along(*mesh(), axes) != 0) continue;
        dims[0] = axes;
        break;
      }
    return Sharding(*mesh(), std::move(dims));
  }

  Value constrained(Value copy, Value v) const {
    const auto sharding = sharding_of(v);
    return sharding ? ir::sharding_constraint(copy, concat("#sdy.sharding<@mesh, ", *sharding, '>')) : copy;
  }

  // Appends the ids of a batch.
  std::vector<Value> append_ids(ir::Graph& to, std::span<const Value> batch) const {
    ir::Inliner inliner(to, step_);
    for (std::size_t i = 0; i < batch_.size(); ++i) inliner.substitute(step_.inputs()[batch_[i]], batch[i]);
    const std::vector<Value> copies = inliner.copy(ids_);
    std::vector<Value> all;
    for (std::size_t i = 0; i < ids_.size(); ++i) all.push_back(constrained(copies[i], ids_[i]));
    return all;
  }

  // Appends the lookups for a batch.
  std::vector<Value> append_lookups(ir::Graph& to, std::span<const Value> batch, std::span<const Value> ids,
                                    std::span<const Value> tables) const {
    ir::Inliner inliner(to, step_);
    for (std::size_t i = 0; i < ids_.size(); ++i) inliner.substitute(ids_[i], ids[i]);
    for (std::size_t i = 0; i < batch_.size(); ++i) inliner.substitute(step_.inputs()[batch_[i]], batch[i]);
    for (std::size_t i = 0; i < tables_.size(); ++i) inliner.substitute(step_.inputs()[tables_[i]], tables[i]);
    const std::vector<Value> copies = inliner.copy(cuts_);
    std::vector<Value> all;
    for (std::size_t i = 0; i < cuts_.size(); ++i) all.push_back(constrained(copies[i], cuts_[i]));
    return all;
  }

  static std::vector<Value> add_inputs(ir::Graph& to, std::span<const Value> like) {
    std::vector<Value> inputs;
    for (const Value v : like) inputs.push_back(to.add_input(v.type()));
    return inputs;
  }
  std::vector<Value> add_inputs(ir::Graph& to, std::span<const std::size_t> of_step) const {
    std::vector<Value> like;
    for (const std::size_t i : of_step) like.push_back(step_.inputs()[i]);
    return add_inputs(to, like);
  }
  std::shared_ptr<ir::Graph> new_graph(const char* part) const {
    auto graph = std::make_shared<ir::Graph>();
    graph->name = concat(step_.name, part);
    return graph;
  }

  std::shared_ptr<ir::Graph> make_fill() const {
    auto graph = new_graph("");
    const std::vector<Value> batch = add_inputs(*graph, batch_), tables = add_inputs(*graph, tables_);
    std::vector<Value> all = append_ids(*graph, batch);
    const std::vector<Value> lookups = append_lookups(*graph, batch, all, tables);
    all.insert(all.end(), lookups.begin(), lookups.end());
    graph->set_outputs(std::move(all));
    return graph;
  }

  // The inputs of the step, and the values.
  ir::Inliner begin_step(ir::Graph& to, std::span<const Value> inputs, std::span<const Value> ready) const {
    ir::Inliner inliner(to, step_);
    const std::vector<Value> all = values();
    for (std::size_t i = 0; i < all.size(); ++i) inliner.substitute(all[i], ready[i]);
    for (std::size_t i = 0; i < inputs.size(); ++i) inliner.substitute(step_.inputs()[i], inputs[i]);
    return inliner;
  }

  std::shared_ptr<ir::Graph> make_drain() const {
    auto graph = new_graph("");
    const std::vector<Value> inputs = add_inputs(*graph, step_.inputs()), ready = add_inputs(*graph, values());
    graph->set_outputs(begin_step(*graph, inputs, ready).copy_with_effects(outputs_));
    return graph;
  }

  // The order of the nodes is that in which they are to run, as far as streams leave a choice: the exchange of ids beside the backward pass,
  // where it delays no exchange that the forward pass waits for; lookups as soon as they may read the tables.
  std::shared_ptr<ir::Graph> make_steady() const {
    auto graph = new_graph("");
    const std::vector<Value> inputs = add_inputs(*graph, step_.inputs()), ready = add_inputs(*graph, values());
    const std::vector<Value> batch = add_inputs(*graph, batch_);
    ir::Inliner step = begin_step(*graph, inputs, ready);
    step.copy(results_);
    std::vector<Value> next = append_ids(*graph, batch);
    std::vector<Value> tables, lookups;
    if (ahead_ == Ahead::stale_lookups) {
      for (const std::size_t i : tables_) tables.push_back(inputs[i]);
      lookups = append_lookups(*graph, batch, next, tables);
    } else {
      for (const std::size_t i : tables_)
        tables.push_back(inputs_[i].next < 0 ? inputs[i] : step.copy(outputs_.subspan(inputs_[i].next, 1)).front());
      lookups = append_lookups(*graph, batch, next, tables);
    }
    std::vector<Value> outputs = step.copy_with_effects(outputs_);
    outputs.insert(outputs.end(), next.begin(), next.end());
    outputs.insert(outputs.end(), lookups.begin(), lookups.end());
    graph->set_outputs(std::move(outputs));
    return graph;
  }

  const ir::Graph& step_;
  std::span<const Value> outputs_, results_;
  std::span<const StepInput> inputs_;
  Ahead ahead_;
  std::vector<std::uint8_t> depends_, is_ahead_, is_live_;  // of each node
  std::vector<Value> ids_, cuts_;
  std::vector<std::size_t> batch_, tables_;
};

}  // namespace

std::optional<LookAhead> look_ahead(const ir::Graph& step, std::span<const Value> outputs,
                                    std::span<const Value> results, std::span<const StepInput> inputs, Ahead ahead) {
  if (ahead == Ahead::nothing) return std::nullopt;
  return Division(step, outputs, results, inputs, ahead).programs();
}

}  // namespace weft::jit
