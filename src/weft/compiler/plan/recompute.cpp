#include <weft/compiler/plan/recompute.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

constexpr int never = std::numeric_limits<int>::max();
constexpr double impossible = std::numeric_limits<double>::infinity();

// A value in memory, and the units between which it is there.
struct Life {
  Value value;
  std::uint64_t bytes = 0;
  int made = 0, last = 0;
  int early = 0;         // the last reader before the peak, or the unit that makes the value
  int late = never;      // the first reader after the peak
  bool is_kept = false;  // whether it is a result of the program
};

// Returns the approximate seconds; only the order of the candidates matters.
double cost_of(const Node& n) {
  constexpr double flops = 4e10, bytes = 1e10;  // per second
  double moved = 0;
  for (const Value v : n.operands) moved += v.type().bytes();
  for (const Type t : n.types) moved += t.bytes();
  if (n.op->kind != ir::Kind::contraction) return moved / bytes;
  const Type rhs = n.operand(1).type();
  double terms = 1;
  if (const auto* dot = n.attributes_if<ir::DotAttributes>()) {
    for (const std::int64_t d : dot->rhs_contracting) terms *= rhs.size(d);
  } else {
    terms = rhs.elements();  // of a convolution: an upper bound
  }
  return moved / bytes + 2 * terms * n.type().elements() / flops;
}

bool can_be_repeated(const Node& n) {
  if (ir::has_side_effect(n)) return false;
  switch (n.op->kind) {
    case ir::Kind::source:
    case ir::Kind::elementwise:
    case ir::Kind::shape:
    case ir::Kind::reduction:
    case ir::Kind::contraction:
    case ir::Kind::indexing: return !ir::is_parameter(n);
    default: return false;
  }
}

class RecomputePlanner {
 public:
  RecomputePlanner(const ir::Graph& graph, std::span<const Unit> units, std::uint64_t budget)
      : graph_(graph), units_(units), budget_(budget) {
    find_lives();
    peak_ = peak_of(lives_).first;
    for (Life& life : lives_) find_reads(life);
    find_times();
  }

  Recomputation run() {
    Recomputation result;
    result.waiting_before = peak_of(lives_).second;
    result.waiting_after = choose(result.waiting_before);
    if (!again_.empty()) rewrite(result);
    return result;
  }

 private:
  static bool is_stored_elsewhere(Value v) { return ir::is_parameter(*v.node) || ir::literal_of(v); }

  void find_lives() {
    std::unordered_set<Value, ir::ValueHash> results;
    for (const Value v : graph_.outputs()) results.insert(storage_of(v));
    for (int u = 0; u < std::ssize(units_); ++u) {
      const Unit& unit = units_[u];
      for (const Value v : unit.writes) {
        life_of_[v] = lives_.size();
        lives_.push_back({.value = v,
                          .bytes = static_cast<std::uint64_t>(v.type().bytes()),
                          .made = u,
                          .last = u,
                          .early = u,
                          .late = never,
                          .is_kept = results.contains(v)});
      }
      for (const Value v : unit.reads) {
        const auto found = life_of_.find(v);
        if (found == life_of_.end()) continue;
        lives_[found->second].last = u;
        readers_[v].push_back(u);
      }
    }
  }

  void find_reads(Life& life) {
    for (const int u : readers_[life.value]) {
      if (u < peak_) life.early = std::max(life.early, u);
      if (u >= peak_) life.late = std::min(life.late, u);
    }
  }

  // Finds when each node is first computed: with the unit that stores it, or with the first unit that needs it, which may come earlier.
  void find_times() {
    time_.assign(graph_.nodes().size(), never);
    for (int u = 0; u < std::ssize(units_); ++u) time_[units_[u].order] = u;
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& n = *graph_.nodes()[i];
      for (std::uint32_t r = 0; r < n.types.size(); ++r)
        if (const auto found = life_of_.find({const_cast<Node*>(&n), r}); found != life_of_.end())
          time_[i] = std::min(time_[i], lives_[found->second].made);
      for (const Value v : n.operands) time_[v.node->id] = std::min(time_[v.node->id], time_[i]);
    }
  }

  // Returns the unit during which most bytes wait for a later unit, and the number of bytes.
  std::pair<int, std::uint64_t> peak_of(std::span<const Life> lives) const {
    std::vector<std::int64_t> change(units_.size() + 1);
    for (const Life& life : lives) {
      if (life.is_kept || life.last <= life.made + 1) continue;
      change[life.made + 1] += life.bytes;
      change[life.last] -= life.bytes;
    }
    std::int64_t now = 0, most = 0;
    int at = 0;
    for (std::size_t u = 0; u < change.size(); ++u)
      if ((now += change[u]) > most) {
        most = now;
        at = u;
      }
    return {at, static_cast<std::uint64_t>(most)};
  }

  bool waits(const Life& life) const { return life.made < peak_ && life.last > peak_ && !life.is_kept; }

  // What must be computed to have the value again, and what must be kept for that; the cost is infinite if that is impossible.
  struct Effort {
    double cost = 0;
    std::vector<std::size_t> repeated, sources;  // lives
  };
  void add_effort(const Node& n, Effort& effort, std::unordered_set<const Node*>& seen) const {
    if (effort.cost == impossible || !seen.insert(&n).second) return;
    if (!can_be_repeated(n)) {
      effort.cost = impossible;
      return;
    }
    effort.cost += cost_of(n);
    for (const Value v : n.operands) {
      const auto found = life_of_.find(v);
      if (is_stored_elsewhere(v)) continue;
      if (found == life_of_.end()) {
        add_effort(*v.node, effort, seen);
        continue;
      }
      const Life& life = lives_[found->second];
      if (life.is_kept || (life.last >= peak_ && !again_.contains(found->second))) {
        effort.sources.push_back(found->second);
      } else {
        effort.repeated.push_back(found->second);
        add_effort(*v.node, effort, seen);
      }
    }
  }
  Effort effort_of(std::size_t life) const {
    Effort effort;
    std::unordered_set<const Node*> seen;
    add_effort(*lives_[life].value.node, effort, seen);
    return effort;
  }

  // Returns the lives that result if these values are computed again.
  std::vector<Life> lives_with(const std::unordered_set<std::size_t>& again) const {
    std::vector<Life> lives(lives_);
    std::map<std::size_t, std::pair<int, int>> second;  // the second life of a value: made, last
    for (const std::size_t i : again) {
      lives[i].last = lives[i].early;
      const Effort effort = effort_of(i);
      const auto make = [&](std::size_t life, int last) {
        const auto [at, is_new] = second.try_emplace(life, lives_[i].late, last);
        if (!is_new) at->second = {std::min(at->second.first, lives_[i].late), std::max(at->second.second, last)};
      };
      make(i, lives_[i].last);
      for (const std::size_t r : effort.repeated) make(r, lives_[i].late + 1);
      for (const std::size_t s : effort.sources) lives[s].last = std::max(lives[s].last, lives_[i].late);
    }
    for (const auto& [life, span] : second) {
      lives.push_back(lives_[life]);
      lives.back().made = span.first - 1;
      lives.back().last = span.second;
      lives.back().is_kept = false;
    }
    return lives;
  }

  // Chooses what to recompute; returns the bytes that still wait.
  std::uint64_t choose(std::uint64_t waiting) {
    std::unordered_set<std::size_t> tried;
    while (waiting > budget_) {
      std::size_t best = lives_.size();
      double least = impossible;
      for (std::size_t i = 0; i < lives_.size(); ++i) {
        if (!waits(lives_[i]) || lives_[i].bytes == 0 || tried.contains(i)) continue;
        const double cost = effort_of(i).cost / lives_[i].bytes;
        if (cost < least) {
          least = cost;
          best = i;
        }
      }
      if (best == lives_.size()) break;
      tried.insert(best);
      again_.insert(best);
      const std::uint64_t now = peak_of(lives_with(again_)).second;
      if (now > waiting) {
        again_.erase(best);
      } else {
        waiting = now;
      }
    }
    return waiting;
  }

  bool is_early(const Node& n) const { return time_[n.id] < peak_; }

  // Returns all early nodes, then all others: repeated nodes come after the first part, whatever their original place.
  std::vector<Node*> in_two_parts() const {
    std::vector<Node*> order(graph_.nodes().begin(), graph_.nodes().end());
    std::ranges::stable_partition(order, [&](const Node* n) { return ir::is_parameter(*n) || is_early(*n); });
    return order;
  }

  void rewrite(Recomputation& result) {
    Rewriter rewriter(graph_);
    std::unordered_map<const Node*, Node*> repeated;
    // Returns the value that nodes after the peak read.
    const auto late = [&](auto&& self, Value v) -> Value {
      const auto found = life_of_.find(v);
      if (!is_early(*v.node) || v.node->operands.empty()) return rewriter.at(v);
      if (found != life_of_.end()) {
        const Life& life = lives_[found->second];
        if (life.is_kept || (life.last >= peak_ && !again_.contains(found->second))) return rewriter.at(v);
      }
      Node*& copy = repeated[v.node];
      if (!copy) {
        std::vector<Value> operands;
        for (const Value o : v.node->operands) operands.push_back(self(self, o));
        copy = &rewriter.graph().append_copy(*v.node, operands);
      }
      return {copy, v.index};
    };
    const std::vector<Node*> order = in_two_parts();
    const auto replace = [&](const Node& n, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
      if (is_early(n) || n.operands.empty()) return std::nullopt;
      if (result.late == 0) result.late = rewriter.graph().nodes().size();
      std::vector<Value> mapped;
      for (const Value v : n.operands) mapped.push_back(late(late, v));
      if (std::ranges::equal(mapped, operands)) return std::nullopt;
      Node& made = rewriter.graph().append_copy(n, mapped);
      std::vector<Value> results;
      for (std::uint32_t i = 0; i < made.types.size(); ++i) results.push_back(made.result(i));
      return results;
    };
    result.graph = rewriter.run(replace, order);
    result.nodes = repeated.size();
  }

  const ir::Graph& graph_;
  std::span<const Unit> units_;
  std::uint64_t budget_;
  std::vector<Life> lives_;
  std::unordered_map<Value, std::size_t, ir::ValueHash> life_of_;
  std::unordered_map<Value, std::vector<int>, ir::ValueHash> readers_;
  std::vector<int> time_;
  int peak_ = 0;
  std::unordered_set<std::size_t> again_;
};

}  // namespace

Recomputation recompute(const ir::Graph& graph, std::span<const Unit> units, std::uint64_t budget) {
  return RecomputePlanner(graph, units, budget).run();
}

}  // namespace weft::compiler
