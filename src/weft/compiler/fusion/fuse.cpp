#include <weft/compiler/fusion/fuse.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <weft/compiler/thunks/interpret_thunk.h>
#include <weft/compiler/thunks/matmul_thunk.h>
#include <weft/compiler/thunks/native.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

// What becomes of a node.
enum class Fate : std::uint8_t {
  none,   // nothing needs it
  given,  // an input or a stored constant
  free,   // computed again wherever it is needed: moves elements, or is made from nothing
  fused,  // part of a cluster
  alone,  // a unit of its own
};

constexpr int no_cluster = -1;
constexpr std::size_t max_buffers = 48, max_exprs = 600;
// A kernel with fewer rows than this and rows longer than that would leave threads idle.
constexpr std::int64_t few_rows = 8, long_row = 32768;

struct Cluster {
  std::vector<std::uint32_t> nodes;  // ascending
  const Node* reduction = nullptr;
  std::int64_t largest = 0;  // elements of the largest domain
};

class Planner {
 public:
  Planner(const ir::Graph& graph, const Options& options, std::vector<std::string>& fallbacks)
      : graph_(graph),
        options_(options),
        fallbacks_(fallbacks),
        count_(graph.nodes().size()),
        fate_(count_, Fate::none),
        cluster_of_(count_, no_cluster),
        is_output_(count_),
        views_(count_) {}

  std::vector<Unit> run() {
    find_what_is_from_nothing();
    if (options_.fuse && !options_.strict) find_epilogues();
    decide_fates();
    store_what_blocks();
    find_needs();
    make_clusters();
    if (options_.fuse) merge_clusters();
    return make_units();
  }

 private:
  Node& node(std::uint32_t id) const { return *graph_.nodes()[id]; }

  // ---- fates

  // Made from constants and positions alone, cheap enough to be computed again.
  bool from_nothing(const Node& n) const {
    if (n.op->kind == ir::Kind::source) return can_lower(n);
    if (n.op->kind != ir::Kind::elementwise) return false;
    return std::ranges::all_of(n.operands, [&](Value v) { return from_nothing_[v.node->id]; });
  }

  bool is_free(const Node& n) const {
    if (from_nothing_[n.id]) return true;
    return n.op->kind == ir::Kind::shape && n.op != &ops::pad && n.op != &ops::concatenate;
  }

  void find_what_is_from_nothing() {
    from_nothing_.assign(count_, 0);
    for (const Node* n : graph_.nodes())
      from_nothing_[n->id] = from_nothing(*n) || (is_move(*n) && from_nothing_[n->operand(0).node->id]);
  }

  // Takes the nodes behind products into them. In strict mode they keep the roundings of a kernel of their own.
  void find_epilogues() {
    std::vector<std::vector<Node*>> users(count_);
    for (Node* n : graph_.nodes())
      for (const Value v : n->operands)
        if (users[v.node->id].empty() || users[v.node->id].back() != n) users[v.node->id].push_back(n);
    Surroundings around;
    around.users = [&](const Node& n) -> const std::vector<Node*>& { return users[n.id]; };
    around.is_output = [&](Value v) { return std::ranges::find(graph_.outputs(), v) != graph_.outputs().end(); };
    around.from_nothing = [&](const Node& n) { return from_nothing_[n.id] != 0; };
    around.is_stored = [&](const Node& n) {
      return is_given(n) || !can_lower(n) || epilogues_.contains(n.id) || users[n.id].size() > 1;
    };
    for (Node* n : graph_.nodes()) {
      if (n->op != &ops::dot_general) continue;
      const auto as_is = [](Value v) { return !is_move(*v.node); };
      Matmul matmul{n, view_of(n->operand(0), as_is), view_of(n->operand(1), as_is), {}, {}};
      const auto shape = matmul_shape(*n, matmul.lhs, matmul.rhs);
      if (!shape) continue;
      matmul.shape = *shape;
      around.can_be_computed = [&](const Epilogue& epilogue) {
        matmul.epilogue = epilogue;
        return matmul_exists(matmul);
      };
      Epilogue found = find_epilogue(*n, shape->n, around);
      if (found.result != n->result()) epilogues_.emplace(found.result.node->id, std::pair{n, std::move(found)});
    }
  }

  void decide_fates() {
    for (const Value v : graph_.outputs()) {
      is_output_[v.node->id] = 1;
      materialise(v);
    }
    for (std::size_t i = count_; i-- > 0;) {
      Node& n = node(static_cast<std::uint32_t>(i));
      if (fate_[i] == Fate::none) continue;
      if (fate_[i] == Fate::given) continue;
      if (fate_[i] == Fate::alone) {
        need_operands_stored(n);
      } else {
        for (const Value v : n.operands) is_searched(n, v) ? materialise(v) : need(v);
      }
    }
  }

  // Whether the node reads the value at places that are data, for which it must lie in memory.
  static bool is_searched(const Node& n, Value v) { return n.op->kind == ir::Kind::indexing && v == n.operand(0); }

  static bool is_move(const Node& n) { return n.op->kind == ir::Kind::shape && n.operands.size() == 1; }

  // The node's value is needed somewhere, in memory or not.
  void need(Value v) {
    const Node& n = *v.node;
    if (fate_[n.id] != Fate::none) return;
    if (is_given(n)) {
      fate_[n.id] = Fate::given;
    } else if (!can_lower(n) || epilogues_.contains(n.id)) {
      fate_[n.id] = Fate::alone;
    } else {
      fate_[n.id] = is_free(n) ? Fate::free : Fate::fused;
    }
  }

  bool is_given(const Node& n) const {
    return n.op == &ops::parameter ||
           (n.op == &ops::constant && !n.attributes<ir::ConstantAttributes>().value.is_splat());
  }

  // The node's value is needed in memory.
  void materialise(Value v) {
    v = storage_of(v);
    need(v);
    if (fate_[v.node->id] == Fate::free) fate_[v.node->id] = Fate::fused;
  }

  void need_operands_stored(Node& n) {
    if (const auto found = epilogues_.find(n.id); found != epilogues_.end()) {
      plan_dot(*found->second.first, found->second.second);
    } else if (n.op == &ops::dot_general) {
      plan_dot(n, {{}, n.result()});
    } else {
      for (const Value v : n.operands) materialise(v);
    }
  }

  // A kernel must be able to go from its domain to what it reads by affine positions. Where a shape op stands in the way, its
  // operand is stored; a node that still is no kernel runs alone.
  void store_what_blocks() {
    for (std::uint32_t i = static_cast<std::uint32_t>(count_); i-- > 0;) {
      while (fate_[i] == Fate::fused) {
        const Cluster single{{i}, node(i).op->kind == ir::Kind::reduction ? &node(i) : nullptr, 0};
        const auto result = lower(single, {node(i).result()});
        if (result.kernel) break;
        if (result.blocker && !views_[result.blocker->id]) {
          views_[result.blocker->id] = 1;
          materialise(result.blocker->operand(0));
        } else {
          fate_[i] = Fate::alone;
          need_operands_stored(node(i));
        }
      }
    }
  }

  // Reads a dot's operands through as many shape ops as the strides allow; what remains is stored.
  void plan_dot(Node& dot, const Epilogue& epilogue) {
    Matmul matmul{&dot, {}, {}, {}, epilogue};
    const auto view = [&](auto&& stored) {
      matmul.lhs = view_of(dot.operand(0), stored);
      matmul.rhs = view_of(dot.operand(1), stored);
      return matmul_shape(dot, matmul.lhs, matmul.rhs);
    };
    auto shape = view([&](Value v) {
      return fate_[v.node->id] == Fate::fused || fate_[v.node->id] == Fate::alone || !is_move(*v.node);
    });
    if (!shape) shape = view([](Value) { return true; });
    WEFT_ASSERT(shape, "the operands of a dot_general are not in order");
    matmul.shape = *shape;
    for_each_operand(matmul, [&](Value v) { materialise(v); });
    matmuls_.emplace(epilogue.result.node->id, std::move(matmul));
  }

  static void for_each_operand(const Matmul& matmul, auto&& visit) {
    visit(matmul.lhs.base);
    visit(matmul.rhs.base);
    for (const EpilogueStep& step : matmul.epilogue.steps)
      if (step.operand.base) visit(step.operand.base);
  }

  // ---- edges

  // For every node that becomes a unit or part of one: the stored or fused nodes whose values it uses.
  void find_needs() {
    needs_.resize(count_);
    users_.resize(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (fate_[i] != Fate::fused && fate_[i] != Fate::alone) continue;
      std::vector<std::uint32_t>& needs = needs_[i];
      std::vector<char> seen;
      const auto walk = [&](auto&& self, Value v) -> void {
        const std::uint32_t id = v.node->id;
        if (views_[id]) return self(self, storage_of(v));
        if (is_inlined(*v.node)) {
          for (const Value o : v.node->operands) self(self, o);
          return;
        }
        if (std::ranges::find(needs, id) == needs.end()) needs.push_back(id);
      };
      if (const auto matmul = matmuls_.find(i); matmul != matmuls_.end()) {
        for_each_operand(matmul->second, [&](Value v) { walk(walk, storage_of(v)); });
      } else {
        const bool stored = fate_[i] == Fate::alone;
        for (const Value v : node(i).operands) walk(walk, stored || is_searched(node(i), v) ? storage_of(v) : v);
      }
      for (const std::uint32_t id : needs) users_[id].push_back(i);
    }
  }

  // ---- clusters

  std::int64_t domain_of(const Node& n) const {
    return n.op->kind == ir::Kind::reduction ? n.operand(0).type().elements() : n.type().elements();
  }

  void make_clusters() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (fate_[i] != Fate::fused) continue;
      cluster_of_[i] = static_cast<int>(clusters_.size());
      clusters_.push_back({{i}, node(i).op->kind == ir::Kind::reduction ? &node(i) : nullptr, domain_of(node(i))});
    }
  }

  void merge_clusters() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (fate_[i] != Fate::fused) continue;
      std::vector<std::uint32_t> producers = needs_[i];
      std::ranges::sort(producers, std::greater{});
      for (const std::uint32_t p : producers)
        if (fate_[p] == Fate::fused && cluster_of_[p] != cluster_of_[i]) try_merge(cluster_of_[p], cluster_of_[i]);
    }
  }

  void try_merge(int producer, int consumer) {
    const Cluster& a = clusters_[static_cast<std::size_t>(producer)];
    const Cluster& b = clusters_[static_cast<std::size_t>(consumer)];
    if (a.largest != b.largest && !a.reduction && !b.reduction && a.largest > b.largest) return;
    if (path_around(producer, consumer)) return;
    Cluster merged;
    std::ranges::merge(a.nodes, b.nodes, std::back_inserter(merged.nodes));
    merged.reduction = a.reduction ? a.reduction : b.reduction;
    merged.largest = std::max(a.largest, b.largest);
    const auto result = lower(merged, producer, consumer);
    if (!result.kernel) return;
    const Loop& loop = result.kernel->loop;
    if (loop.buffers.size() > max_buffers || loop.exprs.size() > max_exprs) return;
    if (loop.walk == Walk::rows && loop.tasks < few_rows && loop.lane_count > long_row) return;
    for (const std::uint32_t id : b.nodes) cluster_of_[id] = producer;
    clusters_[static_cast<std::size_t>(producer)] = std::move(merged);
    clusters_[static_cast<std::size_t>(consumer)] = {};
  }

  // Whether a value leaves the producer, passes through another unit and comes back into the consumer.
  bool path_around(int producer, int consumer) {
    const std::uint32_t last = clusters_[static_cast<std::size_t>(consumer)].nodes.back();
    visited_.assign(count_, 0);
    std::vector<std::uint32_t> stack;
    const auto visit_users = [&](std::uint32_t id, bool direct) {
      for (const std::uint32_t user : users_[id]) {
        if (direct && (cluster_of_[user] == consumer || cluster_of_[user] == producer)) continue;
        if (visited_[user]) continue;
        visited_[user] = 1;
        stack.push_back(user);
      }
    };
    for (const std::uint32_t id : clusters_[static_cast<std::size_t>(producer)].nodes) visit_users(id, true);
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      stack.pop_back();
      if (cluster_of_[id] == consumer) return true;
      if (cluster_of_[id] == no_cluster) {
        if (id < last) visit_users(id, false);
        continue;
      }
      // A cluster runs as a whole: reaching one of its nodes is reaching all.
      const auto& nodes = clusters_[static_cast<std::size_t>(cluster_of_[id])].nodes;
      for (const std::uint32_t member : nodes) {
        visited_[member] = 1;
        visit_users(member, false);
      }
    }
    return false;
  }

  std::vector<Value> outputs_of(const Cluster& cluster, int self, int other) const {
    std::vector<Value> outputs;
    for (const std::uint32_t id : cluster.nodes) {
      bool outside = is_stored_output(id);
      for (const std::uint32_t user : users_[id])
        outside = outside || (cluster_of_[user] != self && cluster_of_[user] != other);
      if (outside) outputs.push_back(node(id).result());
    }
    return outputs;
  }

  bool is_stored_output(std::uint32_t id) const {
    if (output_storage_.empty())
      for (const Value v : graph_.outputs()) output_storage_.insert(storage_of(v).node->id);
    return output_storage_.contains(id);
  }

  // Computed by whoever needs it, at the price of nothing or little.
  bool is_inlined(const Node& n) const {
    if (views_[n.id]) return false;
    return fate_[n.id] == Fate::free || (fate_[n.id] == Fate::none && n.op == &ops::reshape);
  }

  LoweringResult lower(const Cluster& cluster, int self, int other) const {
    return lower(cluster, outputs_of(cluster, self, other));
  }

  LoweringResult lower(const Cluster& cluster, std::vector<Value> outputs) const {
    KernelRequest request;
    request.outputs = std::move(outputs);
    // The last output sets a pointwise kernel's domain, so it must be the largest.
    std::ranges::stable_sort(request.outputs, std::greater{}, [](Value v) { return v.type().elements(); });
    request.computes = [&](const Node& n) { return is_inlined(n) || std::ranges::binary_search(cluster.nodes, n.id); };
    request.free = [&](const Node& n) { return !std::ranges::binary_search(cluster.nodes, n.id); };
    request.reduction = cluster.reduction;
    request.contract = !options_.strict;
    return compiler::lower(request);
  }

  // ---- units

  std::vector<Unit> make_units() {
    std::vector<Unit> units;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (fate_[i] == Fate::alone) units.push_back(make_alone(node(i)));
      if (fate_[i] != Fate::fused) continue;
      const int c = cluster_of_[i];
      const Cluster& cluster = clusters_[static_cast<std::size_t>(c)];
      if (cluster.nodes.back() == i) units.push_back(make_kernel(cluster, c));
    }
    return in_order(std::move(units));
  }

  // Every unit after those that make what it reads; among the possible ones, the earliest in the program.
  static std::vector<Unit> in_order(std::vector<Unit> units) {
    std::unordered_map<Value, std::size_t, ir::ValueHash> maker;
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const Value v : units[u].writes) maker[v] = u;
    std::vector<std::vector<std::size_t>> users(units.size());
    std::vector<int> waits(units.size());
    for (std::size_t u = 0; u < units.size(); ++u)
      for (const Value v : units[u].reads)
        if (const auto m = maker.find(v); m != maker.end()) {
          users[m->second].push_back(u);
          ++waits[u];
        }
    std::set<std::pair<std::uint32_t, std::size_t>> ready;
    for (std::size_t u = 0; u < units.size(); ++u)
      if (waits[u] == 0) ready.emplace(units[u].order, u);
    std::vector<Unit> ordered;
    while (!ready.empty()) {
      const std::size_t u = ready.begin()->second;
      ready.erase(ready.begin());
      for (const std::size_t user : users[u])
        if (--waits[user] == 0) ready.emplace(units[user].order, user);
      ordered.push_back(std::move(units[u]));
    }
    WEFT_ASSERT(ordered.size() == units.size(), "units wait for one another");
    return ordered;
  }

  Unit make_alone(Node& n) {
    Unit unit;
    if (const auto matmul = matmuls_.find(n.id); matmul != matmuls_.end()) {
      unit = matmul_unit(matmul->second, options_.strict);
    } else if (auto native = native_unit(n, {options_, fallbacks_})) {
      unit = std::move(*native);
    } else {
      unit = interpret_unit(n);
      fallbacks_.push_back(
          concat(n.op->name, " (", n.location.file, ":", n.location.line, ") runs in the interpreter"));
    }
    describe(unit, n);
    return unit;
  }

  void describe(Unit& unit, const Node& n) const {
    unit.info.source = n.location.line ? concat(n.location.file, ":", n.location.line) : "";
    unit.info.scope = n.location.scope;
    if (unit.info.name.empty()) unit.info.name = concat(n.op->name, ".", n.id);
  }

  Unit make_kernel(const Cluster& cluster, int self) {
    auto result = lower(cluster, self, self);
    WEFT_ASSERT(result.kernel, "a cluster cannot be lowered: ", result.refusal, ", ",
                node(cluster.nodes.back()).op->name);
    Unit unit;
    unit.order = cluster.nodes.back();
    const Node& last = node(cluster.nodes.back());
    if (cluster.nodes.size() > 1) unit.info.name = concat("fusion.", last.id);
    describe(unit, last);
    unit.info.category =
        cluster.reduction ? (result.kernel->loop.walk == Walk::columns ? "column reduction fusion" : "reduction fusion")
                          : "loop fusion";
    unit.reads = std::move(result.kernel->inputs);
    for (Value& v : unit.reads) v = storage_of(v);
    unit.writes = outputs_of(cluster, self, self);
    std::ranges::stable_sort(unit.writes, std::greater{}, [](Value v) { return v.type().elements(); });
    for (const Value v : unit.reads) unit.info.bytes += static_cast<double>(v.type().bytes());
    for (const Value v : unit.writes) unit.info.bytes += static_cast<double>(v.type().bytes());
    unit.loop = std::move(result.kernel->loop);
    find_in_place(unit);
    return unit;
  }

  // A store may go to the bytes of an input that is read at the very same elements, and not after the store.
  void find_in_place(Unit& unit) const {
    const Loop& loop = *unit.loop;
    for (const Store& s : loop.stores) {
      const int stage = loop.exprs[static_cast<std::size_t>(s.value)].stage;
      if (loop.walk == Walk::columns || stage != loop.stages - 1) continue;
      for (int input = 0; input < loop.inputs; ++input) {
        if (byte_size(loop.buffers[static_cast<std::size_t>(input)]) !=
            byte_size(loop.buffers[static_cast<std::size_t>(s.buffer)]))
          continue;
        bool same = true;
        for (const Expr& e : loop.exprs)
          if (e.kind == Expr::Kind::load && e.buffer == input)
            same = same && e.gathered.empty() && same_position(loop, e.position, s.position);
        if (same) unit.in_place.emplace_back(s.buffer - loop.inputs, input);
      }
    }
  }

  static bool same_number(const Loop& loop, const Number& a, const Number& b) {
    const auto value = [&](const Number& n) {
      return n.parameter < 0 ? n.known : loop.parameters[static_cast<std::size_t>(n.parameter)];
    };
    return value(a) == value(b);
  }
  static bool same_position(const Loop& loop, const Position& a, const Position& b) {
    return same_number(loop, a.offset, b.offset) &&
           std::ranges::equal(a.coefficients, b.coefficients,
                              [&](const Number& x, const Number& y) { return same_number(loop, x, y); });
  }

  const ir::Graph& graph_;
  const Options& options_;
  std::vector<std::string>& fallbacks_;
  std::size_t count_;
  std::vector<Fate> fate_;
  std::vector<int> cluster_of_;
  std::vector<char> is_output_, from_nothing_, visited_;
  std::vector<char> views_;  // shape ops that are read as memory
  std::vector<std::vector<std::uint32_t>> needs_, users_;
  std::vector<Cluster> clusters_;
  std::map<std::uint32_t, std::pair<Node*, Epilogue>> epilogues_;  // by the node whose value the product stores
  std::map<std::uint32_t, Matmul> matmuls_;                        // by the same
  mutable std::set<std::uint32_t> output_storage_;
};

}  // namespace

Value storage_of(Value value) {
  while (value.node->op == &ops::reshape) value = value.node->operand(0);
  return value;
}

std::vector<Unit> fuse(const ir::Graph& graph, const Options& options, std::vector<std::string>& fallbacks) {
  return Planner(graph, options, fallbacks).run();
}

}  // namespace weft::compiler
