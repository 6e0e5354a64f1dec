#include <weft/compiler/plan/placement.h>

#include <algorithm>
#include <unordered_set>

#include <weft/compiler/loop/attention_kernel.h>
#include <weft/compiler/loop/cost.h>
#include <weft/compiler/plan/cluster_key.h>
#include <weft/compiler/plan/library_error.h>
#include <weft/compiler/plan/unit.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

// Returns whether the node converts a 16-bit float to f32, which is exact; reading the unconverted value takes half as many bytes.
bool is_widening(const Node& n) {
  return n.op == &ops::convert && n.type().dtype() == DType::f32 && is_float(n.operand(0).dtype()) &&
         byte_size(n.operand(0).dtype()) == 2;
}

bool is_move(const Node& n) { return n.op->kind == ir::Kind::shape && n.operands.size() == 1; }

// Returns whether an operand of attention can be read through the view (plan/attention.h).
bool suits_attention(const View& view, const Target& target) {
  const std::int64_t together = target.is_gpu ? 16 / static_cast<std::int64_t>(byte_size(view.base.dtype())) : 1;
  const auto is_multiple = [together](Size size) { return exact_quotient(size, Size(together)).has_value(); };
  const std::size_t last = view.strides.size() - 1;
  return last >= 1 && last <= 3 && view.strides[last].is(1) && is_multiple(view.offset) &&
         std::ranges::all_of(view.strides.begin(), view.strides.begin() + static_cast<std::ptrdiff_t>(last),
                             is_multiple);
}

}  // namespace

Placement::Placement(const ir::Graph& graph, const Options& options, const UnitMaker& maker)
    : graph_(graph),
      options_(options),
      maker_(maker),
      count_(graph.nodes().size()),
      placed_(count_, Placed::unused),
      views_(count_),
      index_vectors_(count_) {
  find_what_is_from_nothing();
  if (options_.fuse) find_index_vectors();
  if (options_.fuse && !options_.strict) find_epilogues();
  decide_placements();
  store_what_blocks();
}

const Matmul* Placement::matmul(const Node& n) const {
  const auto found = matmuls_.find(n.id);
  return found == matmuls_.end() ? nullptr : &found->second;
}

std::int64_t Placement::elements_of(Type type) const { return options_.sizes(product_of(type.dims())); }

const Attention* Placement::attention(const Node& n) const {
  const auto found = attentions_.find(n.id);
  return found == attentions_.end() ? nullptr : &found->second;
}

bool Placement::is_inlined(const Node& n) const {
  if (views_[n.id]) return false;
  return placed_[n.id] == Placed::recomputed || (placed_[n.id] == Placed::unused && n.op == &ops::reshape);
}

LoweringResult Placement::lower(std::span<const std::uint32_t> nodes, const Node* reduction, std::vector<Value> outputs,
                                KernelRequest::Part part) const {
  KernelRequest request;
  request.outputs = std::move(outputs);
  // The last output sets the domain of a pointwise kernel, so it must be the largest.
  std::ranges::stable_sort(request.outputs, std::greater{}, [&](Value v) { return elements_of(v.type()); });
  request.computes = [&](const Node& n) { return is_inlined(n) || std::ranges::binary_search(nodes, n.id); };
  request.free = [&](const Node& n) { return !std::ranges::binary_search(nodes, n.id); };
  request.reduction = reduction;
  request.part = part;
  request.contract = !options_.strict;
  request.target = options_.target;
  return compiler::lower(request);
}

bool Placement::from_nothing(const Node& n) const {
  if (n.op->kind == ir::Kind::source) return can_lower(n);
  if (n.op->kind != ir::Kind::elementwise) return false;
  return std::ranges::all_of(n.operands, [&](Value v) { return from_nothing_[v.node->id]; });
}

bool Placement::is_free(const Node& n) const {
  if (from_nothing_[n.id] || (options_.fuse && is_widening(n))) return true;
  return (n.op->kind == ir::Kind::shape && n.op->arity == 1) || index_vectors_[n.id] || is_cheaper_again(n);
}

bool Placement::is_cheaper_again(const Node& n) const {
  const bool is_gpu = options_.target->is_gpu;
  const std::int64_t large = is_gpu ? std::int64_t{1} << 20 : 1024, much_smaller = is_gpu ? 64 : 8;
  const int most_cost = is_gpu ? 20 : 3;
  if (!options_.fuse || options_.strict || n.op->kind != ir::Kind::elementwise) return false;
  const std::int64_t elements = elements_of(n.type());
  if (elements < large) return false;
  int cost = 0;
  Value stored;  // the only large value that is read
  // Adds the cost of a value; returns false if it would have to be stored for this, or if more than one large value would be read.
  const auto add = [&](auto&& self, Value v) -> bool {
    const Node& of = *v.node;
    if (from_nothing_[of.id] || elements_of(v.type()) * much_smaller <= elements) return true;
    if (is_given(of) || of.op == &ops::dot_general || epilogues_.contains(of.id)) {
      const bool is_first = !stored || stored == v;
      stored = v;
      return is_gpu && is_first;
    }
    if (is_move(of) || is_widening(of)) return self(self, of.operand(0));
    if (of.op->kind != ir::Kind::elementwise) return false;
    cost += cost_of(*of.op, of.attribute_data, of.operand(0).dtype(), v.dtype());
    if (cost > most_cost) return false;
    return std::ranges::all_of(of.operands, [&](Value operand) { return self(self, operand); });
  };
  return add(add, {const_cast<Node*>(&n), 0});
}

void Placement::find_what_is_from_nothing() {
  from_nothing_.assign(count_, false);
  for (const Node* n : graph_.nodes())
    from_nothing_[n->id] = from_nothing(*n) || (is_move(*n) && from_nothing_[n->operand(0).node->id]);
}

void Placement::find_index_vectors() {
  const auto is_index_vector = [](const Node& user, Value v) {
    const auto* gather = user.attributes_if<ir::GatherAttributes>();
    return gather && v == user.operand(1) && v != user.operand(0) &&
           v.node->attributes<ir::ConcatenateAttributes>().dimension == gather->index_vector_dim;
  };
  for (const Node* n : graph_.nodes()) index_vectors_[n->id] = n->attributes_if<ir::ConcatenateAttributes>();
  for (const Node* user : graph_.nodes())
    for (const Value v : user->operands)
      if (index_vectors_[v.node->id] && !is_index_vector(*user, v)) index_vectors_[v.node->id] = false;
}

void Placement::find_epilogues() {
  std::vector<std::vector<Node*>> users(count_);
  for (Node* n : graph_.nodes())
    for (const Value v : n->operands)
      if (users[v.node->id].empty() || users[v.node->id].back() != n) users[v.node->id].push_back(n);
  Surroundings around;
  around.users = [&](const Node& n) -> const std::vector<Node*>& { return users[n.id]; };
  const std::unordered_set<Value, ir::ValueHash> outputs(graph_.outputs().begin(), graph_.outputs().end());
  around.is_output = [&](Value v) { return outputs.contains(v); };
  around.from_nothing = [&](const Node& n) { return from_nothing_[n.id]; };
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
      return naming_library_errors(*n, [&] { return maker_.has_product(matmul); });
    };
    Epilogue found = find_epilogue(*n, shape->n, around);
    const std::uint32_t last = found.result.node->id;
    if (last != n->id) epilogues_.emplace(last, std::pair{n, std::move(found)});
  }
}

void Placement::decide_placements() {
  for (const Value v : graph_.outputs()) materialise(v);
  for (std::size_t i = count_; i-- > 0;) {
    Node& n = node(i);
    if (ir::has_side_effect(n)) placed_[i] = Placed::own_unit;
    if (placed_[i] == Placed::unused) continue;
    if (placed_[i] == Placed::given) continue;
    if (placed_[i] == Placed::own_unit) {
      need_operands_stored(n);
    } else {
      for (const Value v : n.operands) is_searched(n, v) ? materialise(v) : need(v);
    }
  }
}

bool Placement::is_searched(const Node& n, Value v) { return n.op->kind == ir::Kind::indexing && v == n.operand(0); }

void Placement::need(Value v) {
  const Node& n = *v.node;
  if (placed_[n.id] != Placed::unused) return;
  if (is_given(n)) {
    placed_[n.id] = Placed::given;
  } else if (!can_lower(n) || epilogues_.contains(n.id)) {
    placed_[n.id] = Placed::own_unit;
  } else {
    placed_[n.id] = is_free(n) ? Placed::recomputed : Placed::fused;
  }
}

bool Placement::is_given(const Node& n) const {
  const auto* constant = n.attributes_if<ir::ConstantAttributes>();
  return ir::is_parameter(n) || (constant && !constant->value.is_splat());
}

void Placement::materialise(Value v) {
  v = storage_of(v);
  need(v);
  if (placed_[v.node->id] == Placed::recomputed) placed_[v.node->id] = Placed::fused;
}

void Placement::need_operands_stored(Node& n) {
  if (const auto found = epilogues_.find(n.id); found != epilogues_.end()) {
    plan_dot(*found->second.first, found->second.second);
  } else if (n.op == &ops::dot_general) {
    plan_dot(n, {{}, n.result()});
  } else if (has_attention_kernel(n, *options_.target)) {
    plan_attention(n);
  } else {
    for (const Value v : n.operands) materialise(v);
  }
}

void Placement::store_what_blocks() {
  ClusterKeys keys(graph_, *this);
  std::unordered_set<Fingerprint, FingerprintHash> kernels;  // clusters that can be kernels, for equal layers
  for (std::uint32_t i = count_; i-- > 0;) {
    while (placed_[i] == Placed::fused) {
      const Node* reduction = node(i).op->kind == ir::Kind::reduction ? &node(i) : nullptr;
      const Value output = node(i).result();
      const auto [key, is_new] = kernels.insert(keys.of(std::span(&i, 1), reduction, {&output, 1}));
      if (!is_new) break;
      const auto result = lower(std::span(&i, 1), reduction, {output});
      if (result.kernel) break;
      kernels.erase(key);
      if (result.blocker && !views_[result.blocker->id]) {
        views_[result.blocker->id] = true;
        materialise(result.blocker->operand(0));
      } else {
        placed_[i] = Placed::own_unit;
        need_operands_stored(node(i));
      }
    }
  }
}

void Placement::plan_attention(const Node& n) {
  Attention attention{&n, {}};
  for (const Value operand : n.operands) {
    View view = view_of(operand, [&](Value v) {
      return placed_[v.node->id] == Placed::fused || placed_[v.node->id] == Placed::own_unit || !is_move(*v.node);
    });
    const bool has_rows = operand.rank() == n.operand(0).rank();
    if (!has_rows || !suits_attention(view, *options_.target)) view = view_of(operand, [](Value) { return true; });
    materialise(view.base);
    attention.operands.push_back(std::move(view));
  }
  attentions_.insert_or_assign(n.id, std::move(attention));
}

void Placement::plan_dot(Node& dot, const Epilogue& epilogue) {
  Matmul matmul{&dot, {}, {}, {}, epilogue};
  const auto view = [&](auto&& stored) {
    matmul.lhs = view_of(dot.operand(0), stored);
    matmul.rhs = view_of(dot.operand(1), stored);
    return matmul_shape(dot, matmul.lhs, matmul.rhs);
  };
  auto shape = view([&](Value v) {
    return placed_[v.node->id] == Placed::fused || placed_[v.node->id] == Placed::own_unit || !is_move(*v.node);
  });
  if (!shape) shape = view([](Value) { return true; });
  WEFT_ASSERT(shape, "the operands of a dot_general are not in order");
  matmul.shape = *shape;
  for_each_operand(matmul, [&](Value v) { materialise(v); });
  matmuls_.emplace(epilogue.result.node->id, std::move(matmul));
}

}  // namespace weft::compiler
