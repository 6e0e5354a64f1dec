#include <weft/ir/autodiff.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <weft/ir/builder.h>
#include <weft/ir/cotangent_slices.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

void GradientCall::add(int operand, Value cotangent) const {
  Value& sum = operand_cotangents[operand];
  WEFT_ASSERT(cotangent.type() == x(operand).type(), node.op->name, ": the cotangent of operand ", operand, " is ",
              cotangent.type(), ", not ", x(operand).type());
  sum = sum ? ir::add(sum, cotangent) : cotangent;
}

namespace {

// Restores the graph's location on destruction.
class KeepLocation {
 public:
  explicit KeepLocation(Graph& graph) : graph_(graph), location_(graph.location()) {}
  ~KeepLocation() { graph_.set_location(location_); }
  KeepLocation(const KeepLocation&) = delete;
  KeepLocation& operator=(const KeepLocation&) = delete;

 private:
  Graph& graph_;
  Location location_;
};

class Backward {
 public:
  Backward(Graph& graph, std::span<const Value> ys, std::span<const Value> xs) : graph_(graph) {
    std::uint32_t last = 0;
    for (const Value v : ys) last = std::max(last, v.node->id);
    for (const Value v : xs) last = std::max(last, v.node->id);
    first_result_.resize(last + 2);
    for (std::uint32_t id = 0; id <= last; ++id) first_result_[id + 1] = first_result_[id] + node(id).types.size();
    cotangents_.resize(first_result_.back());
    depends_.resize(first_result_.back());
    mark(xs, last);
  }

  void accumulate(Value v, Value cotangent) { add_to(cotangents_[at(v)], cotangent); }

  void run() {
    for (std::uint32_t id = first_result_.size() - 1; id-- > 0;) visit(node(id));
  }

  // Accumulates the cotangent that comes from the copy separately until all uses of its operand have been visited.
  void keep_apart(Value copy) {
    if (copy.node->id + 1 < first_result_.size()) copied_.try_emplace(at(copy.node->operands[0]));
    is_copy_.insert(copy.node);
  }

  Value cotangent(Value x) const { return cotangents_[at(x)]; }
  Value cotangent_without_copies(Value x) {
    add_slices(x);
    const auto found = copied_.find(at(x));
    return found == copied_.end() ? cotangents_[at(x)] : found->second.own;
  }
  bool depends(Value v) const { return depends_[at(v)] != 0; }

 private:
  Node& node(std::uint32_t id) const { return *graph_.nodes()[id]; }
  std::size_t at(Value v) const { return first_result_[v.node->id] + v.index; }

  // Marks the values that depend on xs along a path on which a derivative can pass.
  void mark(std::span<const Value> xs, std::uint32_t last) {
    std::uint32_t first = last;
    for (const Value x : xs) {
      depends_[at(x)] = 1;
      first = std::min(first, x.node->id);
    }
    for (std::uint32_t id = first; id <= last; ++id) {
      const Node& n = node(id);
      if (!passes_derivatives(n) || std::ranges::none_of(n.operands, [&](Value v) { return depends_[at(v)] != 0; }))
        continue;
      for (std::size_t i = 0; i < n.types.size(); ++i)
        if (is_float(n.types[i].dtype())) depends_[first_result_[id] + i] = 1;
    }
  }

  void visit(Node& n) {
    if (!slices_of_.empty())
      for (std::size_t i = 0; i < n.types.size(); ++i) add_slices(n.result(i));
    if (!copied_.empty()) add_copies(n);
    const auto cotangents = std::span(cotangents_).subspan(first_result_[n.id], n.types.size());
    if (!passes_derivatives(n) || std::ranges::none_of(cotangents, [](Value v) { return static_cast<bool>(v); }))
      return;
    needed_.clear();
    for (const Value v : n.operands) needed_.push_back(depends_[at(v)]);
    if (std::ranges::none_of(needed_, [](std::uint8_t needed) { return needed != 0; })) return;
    operand_cotangents_.assign(n.operands.size(), {});
    const bool passes_through = is_checkpoint(n);
    for (std::size_t i = 0; passes_through && i < n.operands.size(); ++i) {
      add_slices(n.operands[i]);
      operand_cotangents_[i] = cotangent(n.operands[i]);
    }
    graph_.set_location(n.location);
    slices_.clear();
    n.op->gradient(GradientCall{n, cotangents, operand_cotangents_, needed_, slices_});
    for (const CotangentSlice& slice : slices_)
      if (needed_[slice.operand]) add_slice(n.operands[slice.operand], slice);
    for (std::size_t i = 0; i < n.operands.size(); ++i) {
      if (!needed_[i] || !operand_cotangents_[i]) continue;
      if (passes_through) cotangents_[at(n.operands[i])] = {};
      if (is_copy_.contains(&n))
        add_to(copied_[at(n.operands[i])].of_copies, operand_cotangents_[i]);
      else
        accumulate(n.operands[i], operand_cotangents_[i]);
    }
  }

  void add_slice(Value v, const CotangentSlice& slice) {
    const auto found = slices_of_.find(at(v));
    if (found != slices_of_.end() && found->second.all.front().dim != slice.dim) add_slices(v);
    Slices& slices = slices_of_[at(v)];
    slices.location = graph_.location();
    slices.all.push_back(slice);
  }

  // Adds up the slices of a value whose uses have all been visited.
  void add_slices(Value v) {
    const auto found = slices_of_.find(at(v));
    if (found == slices_of_.end()) return;
    graph_.set_location(found->second.location);
    add_to(cotangents_[at(v)], sum_of_slices(v.type(), found->second.all));
    slices_of_.erase(found);
  }

  void add_copies(Node& n) {
    for (std::size_t i = first_result_[n.id]; i < first_result_[n.id + 1]; ++i) {
      const auto found = copied_.find(i);
      if (found == copied_.end()) continue;
      found->second.own = cotangents_[i];
      if (found->second.of_copies) add_to(cotangents_[i], found->second.of_copies);
    }
  }

  static void add_to(Value& sum, Value cotangent) { sum = sum ? add(sum, cotangent) : cotangent; }

  struct Slices {
    Location location;  // of one of them
    std::vector<CotangentSlice> all;
  };

  // The cotangents of a value that was copied: the sum from its copies, and the sum from its other uses.
  struct Copied {
    Value of_copies, own;
  };

  Graph& graph_;
  std::unordered_map<std::size_t, Copied> copied_;  // keys are indices into the lists below
  std::unordered_set<const Node*> is_copy_;
  std::unordered_map<std::size_t, Slices> slices_of_;
  std::vector<std::uint32_t> first_result_;  // by node id: the index of its first result in the lists below
  std::vector<Value> cotangents_;
  std::vector<std::uint8_t> depends_;
  std::vector<std::uint8_t> needed_;       // scratch of visit
  std::vector<Value> operand_cotangents_;  // scratch of visit
  std::vector<CotangentSlice> slices_;     // scratch of visit
};

void require_values(const char* what, const Graph& graph, std::span<const Value> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(values[i] && values[i].node->graph == &graph, "grad: ", what, " ", i, " is not a value of this graph");
    require(is_float(values[i].dtype()), "grad: ", what, " ", i, " is ", values[i].type(),
            "; only floating-point values have gradients");
  }
}

}  // namespace

std::vector<Value> gradient(Graph& graph, std::span<const Value> ys, std::span<const Value> y_cotangents,
                            std::span<const Value> xs, std::span<const Value> copies) {
  require(ys.size() == y_cotangents.size(), "grad: expected ", ys.size(), " cotangents, got ", y_cotangents.size());
  require_values("output", graph, ys);
  require_values("input", graph, xs);
  require_values("cotangent", graph, y_cotangents);
  for (std::size_t i = 0; i < ys.size(); ++i)
    require(ys[i].type() == y_cotangents[i].type(), "grad: the cotangent of output ", i, " is ", y_cotangents[i].type(),
            ", not ", ys[i].type());

  const KeepLocation keep(graph);
  Backward backward(graph, ys, xs);
  for (const Value copy : copies) backward.keep_apart(copy);
  for (std::size_t i = 0; i < ys.size(); ++i) backward.accumulate(ys[i], y_cotangents[i]);
  backward.run();
  std::vector<Value> gradients;
  gradients.reserve(xs.size());
  for (const Value x : xs) {
    const Value cotangent = backward.cotangent_without_copies(x);
    gradients.push_back(cotangent ? cotangent : constant_like(x, 0));
  }
  return gradients;
}

bool passes_derivatives(const Node& node) {
  return node.op->gradient != zero_gradient &&
         std::ranges::any_of(node.types, [](Type type) { return is_float(type.dtype()); });
}

bool depends(Graph& graph, Value y, std::span<const Value> xs) { return Backward(graph, {&y, 1}, xs).depends(y); }

std::vector<const Node*> ends_of_derivatives(const Graph& graph, Value y, std::span<const Value> xs) {
  std::vector<bool> has_derivative(graph.nodes().size()), is_needed(has_derivative.size());
  for (const Value x : xs) has_derivative[x.node->id] = true;
  is_needed[y.node->id] = true;
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    if (!is_needed[i] || has_derivative[i]) continue;
    for (const Value operand : graph.nodes()[i]->operands) is_needed[operand.node->id] = true;
  }
  std::vector<const Node*> ends;
  for (const Node* node : graph.nodes()) {
    // Positions that a sort returns besides its values have no derivative.
    for (const Value operand : node->operands)
      if (is_needed[node->id] && has_derivative[operand.node->id] && !is_float(operand.dtype()) &&
          std::ranges::find(ends, operand.node) == ends.end())
        ends.push_back(operand.node);
    const auto takes_a_derivative = [&](Value operand) {
      return has_derivative[operand.node->id] && is_float(operand.dtype());
    };
    if (!is_needed[node->id] || std::ranges::none_of(node->operands, takes_a_derivative)) continue;
    if (passes_derivatives(*node)) {
      has_derivative[node->id] = true;
    } else {
      ends.push_back(node);
    }
  }
  return ends;
}

bool is_zero(Value x) {
  if (x.node->op != &ops::constant) return false;
  const auto& literal = x.node->attributes<ConstantAttributes>().value;
  return std::ranges::all_of(literal.bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace weft::ir
