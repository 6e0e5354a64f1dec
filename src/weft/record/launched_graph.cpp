#include <weft/record/launched_graph.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <weft/base/diagnostics.h>
#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/record/recording.h>
#include <weft/record/session.h>

namespace weft::record {

GradientsEndHere::GradientsEndHere()
    : before_(std::exchange(session.oldest_differentiable, runtime::Buffer(Type()).id())) {}
GradientsEndHere::~GradientsEndHere() { session.oldest_differentiable = before_; }
bool GradientsEndHere::is_before(std::uint64_t buffer_id) { return buffer_id < session.oldest_differentiable; }

using ir::Value;
using Known = LaunchedGraph::Known;

namespace {

bool is_input(const ir::Node& node) { return node.op == &ir::ops::parameter; }

Value sum(Value a, Value b) { return ir::is_zero(a) ? b : ir::is_zero(b) ? a : ir::add(a, b); }

// Returns, by node id, whether something in `ends` depends on the node in a way that has a gradient.
std::vector<bool> reached_from(const ir::Graph& graph, std::span<const Value> ends) {
  std::vector<bool> reached(graph.nodes().size());
  for (const Value y : ends) reached[y.node->id] = true;
  for (std::size_t id = reached.size(); id-- > 0;) {
    const ir::Node& node = *graph.nodes()[id];
    if (!reached[id] || !ir::passes_derivatives(node)) continue;
    for (const Value operand : node.operands) reached[operand.node->id] = true;
  }
  return reached;
}

// The graphs into which one gradient reaches back, and the parts of them that are recorded again.
class History {
 public:
  History(Recording& recording, const char* function, std::span<const Value> xs, std::span<const TensorPtr> wrt)
      : recording_(recording), function_(function), place_(place_text(recording.graph().location())) {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const runtime::BufferPtr& buffer = wrt[i]->buffer;
      if (!buffer) continue;
      xs_.emplace(buffer->id(), X{wrt[i]->identity(), xs[i]});
      oldest_ = std::min(oldest_, buffer->id());
    }
  }

  // Returns whether the gradient continues from this value to one of the xs; the value itself does not count as an x.
  bool leads(const Origin& origin) {
    Launched& launched = of(origin);
    return launched.x.contains(origin.value) && !origin.is_brought_back ? launched.leads_beyond(*origin.value.node)
                                                                        : launched.leads[origin.value.node->id];
  }

  // Returns a copy of the value in the recording.
  Value copy(const Origin& origin) {
    Launched& launched = of(origin);
    note(origin.graph->callee());
    bind(launched, origin.value);
    const Value copied = launched.inliner.copy({&origin.value, 1}).front();
    for (const Value copy : launched.graph.program->copies)
      if (const Value now = launched.inliner.found(copy); now && now.node->op == copy.node->op) recording_.is_copy(now);
    return copied;
  }

  // Returns the compiled functions into which a gradient reached back for the first time.
  std::span<const std::shared_ptr<Callee>> callees() const { return callees_; }

 private:
  void note(const std::shared_ptr<Callee>& callee) {
    if (callee && callee->differentiated_at(place_)) callees_.push_back(callee);
  }

  struct Launched {
    Launched(Recording& recording, const std::shared_ptr<const LaunchedGraph>& of)
        : shared(of),
          graph(of->filled()),
          leads(graph.graph().nodes().size()),
          is_state(leads.size()),
          inliner(recording.graph(), graph.graph()) {
      for (const Known& k : graph.known) {
        known[k.value].push_back(&k);
        if (k.is_state) is_state[k.value.node->id] = true;
      }
      for (const auto& [value, number] : graph.numbers) numbers[value] = &number;
    }

    bool leads_beyond(const ir::Node& node) const {
      return !is_state[node.id] && ir::passes_derivatives(node) &&
             std::ranges::any_of(node.operands, [&](const Value operand) { return leads[operand.node->id]; });
    }

    std::shared_ptr<const LaunchedGraph> shared;
    const LaunchedGraph& graph;
    std::unordered_map<Value, std::vector<const Known*>, ir::ValueHash> known;
    std::unordered_map<Value, const Immediate*, ir::ValueHash> numbers;
    std::unordered_map<Value, Value, ir::ValueHash> x;  // for each x, its value in the recording
    std::vector<bool> leads;     // by node id: whether it leads to an x, possibly the node itself
    std::vector<bool> is_state;  // by node id
    std::unordered_set<Value, ir::ValueHash> bound;
    ir::Inliner inliner;
  };

  Launched& of(const Origin& origin) {
    auto& launched = launched_[origin.graph.get()];
    if (!launched) {
      launched = std::make_unique<Launched>(recording_, origin.graph);
      look(*launched);
    }
    return *launched;
  }

  void look(Launched& launched) {
    for (const Known& k : launched.graph.known) {
      const std::size_t id = k.value.node->id;
      for (auto [x, end] = xs_.equal_range(k.buffer_id); x != end; ++x) {
        if (!k.is(x->second.identity)) continue;
        launched.x.try_emplace(k.value, x->second.value);
        launched.leads[id] = true;
      }
      if (k.buffer_id < oldest_ || GradientsEndHere::is_before(k.buffer_id)) continue;  // it leads to no x
      if (k.is_lost || (k.origin && leads(k.origin))) launched.leads[id] = true;
    }
    for (const ir::Node* node : launched.graph.graph().nodes())
      if (launched.leads_beyond(*node)) launched.leads[node->id] = true;
  }

  // Gives the inliner the starting points of a copy of `value`: xs, numbers, older graphs, and held values that depend on no x.
  void bind(Launched& launched, Value value) {
    std::vector<Value> way{value};
    while (!way.empty()) {
      const Value v = way.back();
      way.pop_back();
      if (!launched.bound.insert(v).second) continue;
      if (const Value known = find(launched, v)) {
        launched.inliner.substitute(v, known);
      } else {
        if (is_input(*v.node)) fail(launched, v);
        for (const Value operand : v.node->operands) way.push_back(operand);
      }
    }
  }

  // Returns the value of the recording for `v`, or none if it has to be computed again.
  Value find(Launched& launched, Value v) {
    if (const auto x = launched.x.find(v); x != launched.x.end() && !launched.leads_beyond(*v.node)) {
      const Known* const made = made_of_another(launched, v);
      return made ? copy(made->origin) : x->second;
    }
    if (const auto number = launched.numbers.find(v); number != launched.numbers.end())
      return recording_.immediate(v.type(), *number->second);
    const auto known = launched.known.find(v);
    if (known == launched.known.end()) return {};
    if (!launched.leads[v.node->id]) {
      for (const Known* k : known->second)
        if (const runtime::BufferPtr buffer = k->buffer.lock(); buffer && buffer->held() && !buffer->donated())
          return bring_back(launched, v, buffer);
    }
    for (const Known* k : known->second)
      if (k->origin) return copy(k->origin);
    return {};
  }

  // Returns the entry of an input that is an x and depends on another x; null if it does not.
  const Known* made_of_another(const Launched& launched, Value x) {
    for (const Known* k : launched.known.at(x))
      if (k->origin && !GradientsEndHere::is_before(k->buffer_id) && leads(k->origin)) return k;
    return nullptr;
  }

  // Adds the value as an input of the recording. A later gradient by another tensor may lead through it.
  Value bring_back(const Launched& launched, Value v, const runtime::BufferPtr& buffer) {
    const TensorPtr tensor = TensorPtr::of(buffer);
    if (is_float(v.dtype())) tensor->origin = {launched.shared, v, true};
    return recording_.value_of(tensor, function_);
  }

  [[noreturn]] void fail(const Launched& launched, Value input) const {
    std::string what = concat("a tensor of type ", input.type());
    for (const ir::Node* node : launched.graph.graph().nodes()) {
      if (std::ranges::find(node->operands, input) == node->operands.end()) continue;
      if (const std::string place = place_text(node->location); !place.empty())
        what += concat(", used at ", place, ',');
      break;
    }
    const bool is_lost =
        std::ranges::any_of(launched.known.at(input), [](const Known* known) { return known->is_lost; });
    if (const Callee* const callee = launched.graph.program->callee) {
      const std::size_t index = input.node->attributes<ir::ParameterAttributes>().index;
      throw Error(concat(
          function_, ": the gradient leads through a call of ", callee->function(), " (compiled) and needs ",
          callee->name_of_input(index), " (", what, "), ",
          is_lost ? "which was made by more launches than are kept: compile the loop that makes it, with the gradient "
                    "inside, "
                    "or call sync() where the gradient may end"
                  : "which nobody holds any more, or which has changed: keep it until the gradient is taken, or take "
                    "the gradient inside the compiled function"));
    }
    throw Error(concat(
        function_, ": the loss was read before this gradient is taken, which needs ", what, " again; ",
        is_lost ? "what made it was launched by a read too long ago: call sync() where a gradient may end, as at the "
                  "end of a step, or take the gradient first and read later"
                : "nobody holds it any more: keep it until the gradient is taken, or take the gradient first and read "
                  "later"));
  }

  Recording& recording_;
  const char* function_;
  std::string place_;  // where the gradient is taken
  std::vector<std::shared_ptr<Callee>> callees_;
  struct X {
    std::uint64_t identity;
    Value value;
  };
  std::unordered_multimap<std::uint64_t, X> xs_;  // by the id of the buffer
  std::uint64_t oldest_ = std::numeric_limits<std::uint64_t>::max();
  std::unordered_map<const LaunchedGraph*, std::unique_ptr<Launched>> launched_;
};

}  // namespace

bool Callee::differentiated_at(const std::string& place) {
  const std::lock_guard lock(mutex_);
  if (is_differentiated_.load(std::memory_order_relaxed)) return false;
  place_ = place;
  is_differentiated_.store(true, std::memory_order_release);
  return true;
}

std::string Callee::differentiated_at() const {
  const std::lock_guard lock(mutex_);
  return place_;
}

bool were_differentiated_before(Recording& recording, Value y, std::span<const TensorPtr> wrt) {
  std::vector<const LaunchedGraph*> way;
  std::unordered_set<const LaunchedGraph*> seen;
  const auto go_to = [&](const Origin& origin) {
    if (origin && seen.insert(origin.graph.get()).second) way.push_back(origin.graph.get());
  };
  const std::vector<bool> reached = reached_from(recording.graph(), {&y, 1});
  const std::span<const Recording::Input> inputs = recording.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (reached[recording.graph().inputs()[i].node->id]) go_to(inputs[i].origin);
  const auto is_one = [&](const Known& k) {
    const runtime::BufferPtr buffer = k.buffer.lock();
    return buffer &&
           std::ranges::any_of(wrt, [&](const TensorPtr& x) { return x->buffer == buffer && k.is(x->identity()); });
  };
  while (!way.empty()) {
    const LaunchedGraph& graph = way.back()->filled();
    way.pop_back();
    for (const Known& k : graph.known) {
      if (std::ranges::find(graph.program->differentiated, k.value) != graph.program->differentiated.end() && is_one(k))
        return true;
      go_to(k.origin);
    }
  }
  return false;
}

namespace {

// Searches the graphs through which a value depends on the tensors `wrt` for the nodes that end derivatives.
class EndSearch {
 public:
  explicit EndSearch(std::span<const TensorPtr> wrt) : wrt_(wrt) {}

  // Returns whether a derivative reaches `y` from one of the tensors; collects the nodes at which derivatives end. `sources` are
  // values of the graph that are such tensors; `inputs` are values of the graph that older graphs have made.
  bool look(const ir::Graph& graph, Value y, std::vector<Value> sources,
            std::span<const std::pair<Value, Origin>> inputs) {
    std::vector<bool> is_needed(graph.nodes().size());
    is_needed[y.node->id] = true;
    for (std::size_t id = is_needed.size(); id-- > 0;)
      if (is_needed[id])
        for (const Value operand : graph.nodes()[id]->operands) is_needed[operand.node->id] = true;
    for (const auto& [input, origin] : inputs)
      if (is_needed[input.node->id] && look(origin)) sources.push_back(input);
    std::ranges::move(ir::ends_of_derivatives(graph, y, sources), std::back_inserter(ends_));
    const std::vector<bool> reached = reached_from(graph, {&y, 1});
    return std::ranges::any_of(sources, [&](Value source) { return reached[source.node->id]; });
  }

  const std::vector<const ir::Node*>& ends() const { return ends_; }

 private:
  bool look(const Origin& origin) {
    const auto [known, is_new] = has_derivative_.try_emplace(origin.value, false);
    if (!is_new) return known->second;
    std::vector<Value> sources;
    std::vector<std::pair<Value, Origin>> inputs;
    for (const Known& k : origin.graph->filled().known) {
      if (k.origin) inputs.emplace_back(k.value, k.origin);
      const runtime::BufferPtr buffer = k.buffer.lock();
      if (buffer &&
          std::ranges::any_of(wrt_, [&](const TensorPtr& x) { return x->buffer == buffer && k.is(x->identity()); }))
        sources.push_back(k.value);
    }
    const bool has_derivative = look(origin.graph->graph(), origin.value, std::move(sources), inputs);
    return has_derivative_[origin.value] = has_derivative;
  }

  std::span<const TensorPtr> wrt_;
  std::vector<const ir::Node*> ends_;
  std::unordered_map<Value, bool, ir::ValueHash> has_derivative_;
};

}  // namespace

std::vector<const ir::Node*> ends_of_derivatives(Recording& recording, Value y, std::span<const Value> xs,
                                                 std::span<const TensorPtr> wrt) {
  std::vector<std::pair<Value, Origin>> inputs;
  for (std::size_t i = 0; i < recording.inputs().size(); ++i)
    if (const Origin& origin = recording.inputs()[i].origin) inputs.emplace_back(recording.graph().inputs()[i], origin);
  EndSearch search(wrt);
  (void)search.look(recording.graph(), y, {xs.begin(), xs.end()}, inputs);
  return search.ends();
}

void LaunchedGraph::follow(Known& input, const Origin& origin) {
  const std::size_t all_nodes = origin.graph->nodes + graph().nodes().size();
  input.is_lost = origin.graph->graphs >= most_graphs || all_nodes > most_nodes;
  if (input.is_lost) return;
  input.origin = origin;
  graphs = std::max(graphs, origin.graph->graphs + 1);
  nodes = std::max(nodes, all_nodes);
}

namespace {

void tell(const Callee& callee, const char* function, const ir::Location& where, std::size_t copied) {
  WEFT_DIAGNOSE(graph_break, .subject = callee.function(), .place = place_text(where),
                .reason = concat(function, " takes a gradient through what a call returned: its ", copied,
                                 " operations are computed again, and later calls like it become part of the "
                                 "recording that calls them"),
                .remedy = "compile the whole step, with the gradient inside");
}

}  // namespace

Gradients gradient_through_reads(Recording& recording, const char* function, std::span<const Value> ys,
                                 std::span<const Value> cotangents, std::span<const Value> xs,
                                 std::span<const TensorPtr> wrt) {
  ir::Graph& graph = recording.graph();
  const std::span<const Recording::Input> inputs = recording.inputs();
  if (std::ranges::none_of(inputs, [](const Recording::Input& input) { return bool(input.origin); }))
    return {ir::gradient(graph, ys, cotangents, xs, recording.copies())};

  History history(recording, function, xs, wrt);
  std::vector<Value> crossings;
  std::vector<Origin> origins;
  const std::vector<bool> reached = reached_from(graph, ys);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value input = graph.inputs()[i];
    const Origin& origin = inputs[i].origin;
    if (!origin || GradientsEndHere::is_before(inputs[i].buffer->id())) continue;
    if (!reached[input.node->id] || !history.leads(origin)) continue;
    crossings.push_back(input);
    origins.push_back(origin);
  }
  if (crossings.empty()) return {ir::gradient(graph, ys, cotangents, xs, recording.copies())};

  // Apply the chain rule: through the recording as far as it goes, and from there through copies of launched graphs.
  std::vector<Value> targets(xs.begin(), xs.end());
  targets.insert(targets.end(), crossings.begin(), crossings.end());
  std::vector<Value> here = ir::gradient(graph, ys, cotangents, targets, recording.copies());
  const std::span<const Value> seeds = std::span(here).subspan(xs.size());
  const std::size_t nodes = graph.nodes().size();
  const ir::Location location = graph.location();
  graph.set_location({});  // copies keep their own locations
  std::vector<Value> copies;
  for (const Origin& origin : origins) copies.push_back(history.copy(origin));
  std::vector<bool> is_copied(xs.size());  // by x: whether it depends on other xs
  targets.assign(xs.begin(), xs.end());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const Origin& origin = wrt[i]->origin;
    if (!origin || GradientsEndHere::is_before(wrt[i]->buffer->id()) || !history.leads(origin)) continue;
    is_copied[i] = true;
    targets[i] = history.copy(origin);
  }
  graph.set_location(location);
  const std::size_t copied = graph.nodes().size() - nodes;
  const std::vector<Value> there = ir::gradient(graph, copies, seeds, targets, recording.copies());
  Gradients whole{.values = {}, .crosses_reads = true};
  for (std::size_t i = 0; i < xs.size(); ++i) whole.values.push_back(is_copied[i] ? there[i] : sum(here[i], there[i]));
  for (const std::shared_ptr<Callee>& callee : history.callees()) tell(*callee, function, location, copied);
  if (!history.callees().empty()) return whole;
  WEFT_DIAGNOSE(graph_break, .subject = function, .place = place_text(location),
                .reason = concat("it reaches back over a value that the host has read: ", copied,
                                 " nodes of what was launched there are computed again"),
                .remedy = "read it after the gradient is taken, or decide on the device (where, cond)");
  return whole;
}

}  // namespace weft::record
