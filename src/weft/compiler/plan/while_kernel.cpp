#include <weft/compiler/plan/while_kernel.h>

#include <algorithm>
#include <set>

#include <weft/compiler/loop/region_order.h>
#include <weft/compiler/passes/pipeline.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

constexpr std::int64_t most_elements_in_registers = 64;  // of one value
constexpr std::int64_t most_elements_in_vectors = 512;   // the same, if all its elements are computed as vectors
constexpr std::int64_t most_work = 16384;                // elements computed by one step

bool is_16_bit_float(DType t) { return is_float(t) && byte_size(t) == 2; }

// Counts the elements that one step computes; nullopt if a node has no scalar form.
class Work {
 public:
  Work(const WhileRegion* region, const Options& options) : region_(region), options_(options) {}

  std::optional<std::int64_t> of(const ir::Graph& graph) {
    std::int64_t total = 0;
    for (const Node* n : graph.nodes()) {
      if (!fits(*n)) return std::nullopt;
      const auto work = of(*n);
      if (!work) return std::nullopt;
      total += *work;
      if (total > most_work) return std::nullopt;
    }
    return total;
  }

 private:
  bool in_memory(Value v) const { return region_ && region_->memory_of(v); }

  bool fits(const Node& n) const {
    for (std::uint32_t i = 0; i < n.types.size(); ++i) {
      if (!n.types[i].is_static()) return false;
      if (n.types[i].elements() > most_elements_in_registers && !in_memory({const_cast<Node*>(&n), i}) &&
          !computes_vectors(n))
        return false;
    }
    return true;
  }

  int lanes() const { return options_.target->lanes; }

  bool has_whole_vectors(Type t) const {
    return lanes() > 1 && t.rank() > 0 && t.elements() <= most_elements_in_vectors &&
           t.size(t.rank() - 1) % lanes() == 0;
  }

  // Returns whether the rows of the result consist of whole vectors, each of which comes from a vector of an operand, or from one element.
  bool computes_vectors(const Node& n) const {
    if (!has_whole_vectors(n.type())) return false;
    const int last = n.type().rank() - 1;
    if (n.op->kind == ir::Kind::elementwise || ir::is_parameter(n) || n.attributes_if<ir::ConstantAttributes>())
      return true;
    if (n.op == &ops::reshape) return has_whole_vectors(n.operand(0).type());
    if (n.op == &ops::dynamic_slice) return in_memory(n.operand(0));
    if (const auto* a = n.attributes_if<ir::BroadcastAttributes>()) {
      const auto from = std::ranges::find(a->dimensions, last) - a->dimensions.begin();
      return from == std::ssize(a->dimensions) || n.operand(0).size(static_cast<int>(from)) == 1 ||
             from == n.operand(0).rank() - 1;
    }
    if (const auto* a = n.attributes_if<ir::SliceAttributes>())
      return has_whole_vectors(n.operand(0).type()) && a->start[last] % lanes() == 0 && a->strides[last] == 1;
    if (n.attributes_if<ir::ConcatenateAttributes>())
      return std::ranges::all_of(n.operands, [&](Value v) { return has_whole_vectors(v.type()); });
    return false;
  }

  std::optional<std::int64_t> of(const Node& n) const {
    switch (n.op->kind) {
      case ir::Kind::source: return 1;
      case ir::Kind::elementwise:
        for (const Value v : n.operands)
          if (v.rank() != 0 && v.type().elements() != n.type().elements()) return std::nullopt;
        return n.type().elements();
      case ir::Kind::shape: return n.type().elements();
      case ir::Kind::reduction: return of_reduction(n);
      case ir::Kind::contraction: return of_product(n);
      case ir::Kind::indexing: return of_indexing(n);
      case ir::Kind::control: return of_regions(n);
      case ir::Kind::collective: return std::nullopt;
      case ir::Kind::opaque: return n.op->flow == ir::Flow::barrier ? std::optional(1) : std::nullopt;
    }
    return std::nullopt;
  }

  // Separate kernels sum floats in another order than a loop kernel would, and 16-bit floats in f32.
  bool may_reorder(DType t) const { return is_integer(t) || (is_float(t) && !is_16_bit_float(t) && !options_.strict); }

  std::optional<std::int64_t> of_reduction(const Node& n) const {
    if (!n.attributes_if<ir::DimensionsAttributes>() ||
        !std::ranges::all_of(n.types, [&](Type t) { return t.dtype() == DType::boolean || may_reorder(t.dtype()); }))
      return std::nullopt;
    const auto body = Work(nullptr, options_).of(*n.regions[0]);
    return body ? std::optional(n.operand(0).type().elements() * *body) : std::nullopt;
  }

  std::optional<std::int64_t> of_product(const Node& n) const {
    const auto* dot = n.attributes_if<ir::DotAttributes>();
    if (!dot || n.operand(0).dtype() != n.type().dtype() || !may_reorder(n.type().dtype())) return std::nullopt;
    std::int64_t terms = 1;
    for (const std::int64_t d : dot->lhs_contracting) terms *= n.operand(0).size(d);
    return n.type().elements() * terms;
  }

  // Registers have no addresses, so every possible position of the window is compared.
  std::optional<std::int64_t> of_indexing(const Node& n) const {
    if (n.op != &ops::dynamic_slice && n.op != &ops::dynamic_update_slice) return std::nullopt;
    const Type window = n.op == &ops::dynamic_slice ? n.type() : n.operand(1).type();
    if (window.elements() > most_elements_in_registers && !(in_memory(n.operand(0)) && has_whole_vectors(window)))
      return std::nullopt;
    if (in_memory(n.operand(0))) return window.elements();
    std::int64_t places = 1;
    for (int d = 0; d < window.rank(); ++d) places *= n.operand(0).size(d) - window.size(d) + 1;
    return places * window.elements();
  }

  std::optional<std::int64_t> of_regions(const Node& n) const {
    std::int64_t total = 1;
    for (const ir::Graph* region : n.regions) {
      const auto work = Work(nullptr, options_).of(*region);
      if (!work) return std::nullopt;
      total += *work;
    }
    return total;
  }

  const WhileRegion* region_;
  const Options& options_;
};

// Follows the bytes of carried value `i` through a region: its versions, from the parameter through each update to the region's output.
class Versions {
 public:
  Versions(const ir::Graph& graph, std::size_t carried)
      : graph_(graph), carried_(carried), users_(graph.nodes().size()) {
    for (const Node* n : graph.nodes())
      for (const Value v : n->operands) {
        auto& users = users_[v.node->id];
        if (users.empty() || users.back() != n) users.push_back(n);
      }
  }

  // Returns whether the versions are only read and written in small windows, one version after another. `returns` is true for the body,
  // which returns the last version as the next value.
  bool follow(bool returns) {
    Value current = graph_.inputs()[carried_];
    while (true) {
      versions_.push_back(current);
      const Node* update = nullptr;
      std::vector<const Node*> readers;
      for (const Node* user : users_[current.node->id]) {
        if (!uses(*user, current)) continue;
        if (std::ranges::count(user->operands, current) != 1 || user->operand(0) != current) return false;
        if (user->op == &ops::dynamic_slice) {
          readers.push_back(user);
        } else if (user->op == &ops::dynamic_update_slice && !update && returns) {
          update = user;
        } else {
          return false;
        }
      }
      if (update)
        for (const Node* reader : readers) orders_.emplace_back(update->id, reader->id);
      for (std::size_t i = 0; i < graph_.outputs().size(); ++i)
        if (graph_.outputs()[i] == current && (i != carried_ || update)) return false;
      if (!update) break;
      current = {const_cast<Node*>(update), 0};
    }
    return !returns || graph_.outputs()[carried_] == current;
  }

  void write(WhileRegion& region) const {
    for (const Value v : versions_) region.in_memory[{v.node->id, v.index}] = carried_;
    for (const auto& [node, before] : orders_) region.after[node].push_back(before);
  }

 private:
  static bool uses(const Node& n, Value v) { return std::ranges::find(n.operands, v) != n.operands.end(); }

  const ir::Graph& graph_;
  std::size_t carried_;
  std::vector<std::vector<const Node*>> users_;
  std::vector<Value> versions_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> orders_;  // a node, and a node that must run before it
};

// Returns whether there is an order that respects operands and `after`.
bool has_order(const WhileRegion& region) {
  RegionOrder order(*region.graph, &region);
  std::vector<std::uint32_t> ready;
  const auto make_ready = [&](std::uint32_t id) { ready.push_back(id); };
  order.start(make_ready);
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::uint32_t id = ready.back();
    ready.pop_back();
    order.finish(id, make_ready);
  }
  return done == region.graph->nodes().size();
}

// Runs the passes on the graph and on the regions of loops and branches in it.
std::shared_ptr<const ir::Graph> optimised(const ir::Graph& graph, const Options& options) {
  Report report;
  const std::shared_ptr<const ir::Graph> outer = run_pipeline(graph, options, report);
  const auto is_control = [](const Node& n) { return n.op->kind == ir::Kind::control && !n.regions.empty(); };
  auto whole = rewrite_where(*outer, is_control, [&](ir::Graph& to, const Node& n, std::span<const Value> operands) {
    std::vector<std::shared_ptr<const ir::Graph>> regions;
    for (const ir::Graph* region : n.regions) regions.push_back(optimised(*region, options));
    Node& copy = to.append(*n.op, operands, n.attribute_data, n.types, regions);
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < copy.types.size(); ++i) results.push_back(copy.result(i));
    return std::optional(std::move(results));
  });
  return whole ? std::move(whole) : outer;
}

WhileRegion region_of(const ir::Graph& graph, const Options& options) {
  WhileRegion region{.graph = optimised(graph, options), .in_memory = {}, .after = {}};
  region.after.resize(region.graph->nodes().size());
  return region;
}

bool is_indexed(const ir::Graph& graph, std::size_t carried) {
  return std::ranges::any_of(graph.nodes(), [&](const Node* n) {
    return n->op->kind == ir::Kind::indexing && n->operand(0) == graph.inputs()[carried];
  });
}

}  // namespace

std::optional<WhileKernel> while_kernel(const ir::Graph& condition, const ir::Graph& body, const Options& options) {
  for (const Value v : body.inputs())
    if (!v.type().is_static()) return std::nullopt;
  WhileKernel kernel{.condition = region_of(condition, options), .body = region_of(body, options), .in_memory = {}};
  kernel.contract = !options.strict;
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    const std::int64_t elements = body.inputs()[i].type().elements();
    bool memory = elements > most_elements_in_registers || is_indexed(*kernel.body.graph, i) ||
                  is_indexed(*kernel.condition.graph, i);
    if (memory) {
      Versions in_condition(*kernel.condition.graph, i), in_body(*kernel.body.graph, i);
      memory = in_condition.follow(false) && in_body.follow(true);
      if (!memory && elements > most_elements_in_vectors) return std::nullopt;
      if (memory) {
        in_condition.write(kernel.condition);
        in_body.write(kernel.body);
      }
    }
    kernel.in_memory.push_back(memory);
  }
  for (const WhileRegion* region : {&kernel.condition, &kernel.body})
    if (!Work(region, options).of(*region->graph) || !has_order(*region)) return std::nullopt;
  return kernel;
}

}  // namespace weft::compiler
