#include <weft/ir/graph.h>

#include <algorithm>

#include <weft/ir/general_nodes.h>
#include <weft/ir/op.h>
#include <weft/ir/ops/source.h>

namespace weft::ir {

void Call::fail(const std::string& message) const {
  std::string types;
  for (const Value v : operands) types += (types.empty() ? "" : ", ") + concat(v.type());
  weft::fail(op.name, ": ", message, " (operands: ", types.empty() ? "none" : types, ")");
}

Type Call::requested_type() const {
  require(requested.size() == 1, "the result type must be given");
  require(requested[0].dtype() != DType::token || op.takes_tokens, "cannot produce a token");
  return requested[0];
}

void zero_gradient(const GradientCall&) {}

void not_differentiable(const GradientCall& call) {
  fail("grad: ", call.node.op->name, " has no gradient; apply stop_gradient to its operands if none is wanted");
}

Node& Graph::append(const Op& op, std::span<const Value> operands, const void* attributes, std::span<const Type> types,
                    std::span<const std::shared_ptr<const Graph>> regions) {
  const Call call{op, operands, attributes, types, regions};
  if (op.arity != variadic && op.arity != std::ssize(operands)) [[unlikely]]
    call.fail(concat("expected ", op.arity, " operands, got ", operands.size()));
  if (op.regions != variadic && op.regions != std::ssize(regions)) [[unlikely]]
    call.fail(concat("expected ", op.regions, " regions, got ", regions.size()));
  for (const Value v : operands) {
    WEFT_ASSERT(v.node->graph == this, op.name, ": an operand belongs to another graph");
    if (v.dtype() == DType::token && !op.takes_tokens) [[unlikely]]
      call.fail("takes no tokens");
  }
  inferred_.clear();
  infer_types(call, inferred_);
  if (!types.empty() && !std::ranges::equal(types, inferred_)) [[unlikely]]
    call.fail(concat("the result is ", inferred_.empty() ? Type() : inferred_[0], ", not ", types[0]));

  const void* const attribute_data = op.attributes ? op.attributes->copy(arena_, attributes) : nullptr;
  const std::span<const Value> its_operands = arena_.copy(operands);
  const std::span<const Type> its_types = arena_.copy(std::span<const Type>(inferred_));
  Node& node = *arena_.make<Node>(&op, this, attribute_data, its_operands, its_types, std::span<const Graph* const>(),
                                  location_, 0U);
  if (!regions.empty()) {
    auto* to = static_cast<const Graph**>(arena_.allocate(regions.size() * sizeof(Graph*), alignof(Graph*)));
    for (std::size_t i = 0; i < regions.size(); ++i) {
      to[i] = regions[i].get();
      kept_regions_.push_back(regions[i]);
    }
    node.regions = {to, regions.size()};
  }
  return push(node);
}

std::vector<std::shared_ptr<const Graph>> Graph::shared_regions(const Node& node) const {
  std::vector<std::shared_ptr<const Graph>> regions;
  for (const Graph* region : node.regions)
    regions.push_back(*std::ranges::find(kept_regions_, region, [](const auto& kept) { return kept.get(); }));
  return regions;
}

Node& Graph::append_copy(const Node& from, std::span<const Value> operands) {
  Node& node = *arena_.make<Node>(from);
  node.graph = this;
  node.operands = arena_.copy(operands);
  if (from.graph != this) {
    node.types = arena_.copy(from.types);
    if (from.op->attributes) node.attribute_data = from.op->attributes->copy(arena_, from.attribute_data);
    if (!from.regions.empty()) {
      node.regions = arena_.copy(from.regions);
      std::ranges::move(from.graph->shared_regions(from), std::back_inserter(kept_regions_));
    }
  }
  return push(node);
}

Node& Graph::push(Node& node) {
  node.id = nodes_.size();
  // For most ops the result types follow from the operands and attributes. For the others, hashing the first type is enough.
  fingerprint_.add(reinterpret_cast<std::uintptr_t>(node.op) ^
                   (node.op->attributes ? node.op->attributes->hash(node.attribute_data) : 0));
  fingerprint_.add(mix(node.types.empty() ? 0 : node.types[0].hash(), node.operands.size()));
  for (const Value v : node.operands) fingerprint_.add((static_cast<std::uint64_t>(v.node->id) << 16) + v.index);
  for (const Graph* region : node.regions) fingerprint_.add(fingerprint_of(*region).low);
  nodes_.push_back(&node);
  return node;
}

Value Graph::add_input(Type type) {
  const ParameterAttributes attributes{std::ssize(inputs_)};
  inputs_.push_back(append(ops::parameter, {}, &attributes, std::span(&type, 1)).result());
  return inputs_.back();
}

void Graph::clear() {
  nodes_.clear();
  inputs_.clear();
  outputs_.clear();
  kept_regions_.clear();
  arena_.clear();
  fingerprint_ = {};
  input_names.clear();
  input_dims.clear();
  annotations = nullptr;
}

namespace {

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && std::ranges::equal(a.operands, b.operands, same_value) &&
         std::ranges::equal(a.types, b.types) &&
         (!a.op->attributes || a.op->attributes->equal(a.attribute_data, b.attribute_data)) &&
         std::ranges::equal(a.regions, b.regions,
                            [](const Graph* x, const Graph* y) { return x == y || structurally_equal(*x, *y); });
}

}  // namespace

std::vector<Type> types_of(std::span<const Value> values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const Value v : values) types.push_back(v.type());
  return types;
}

bool structurally_equal(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.nodes(), b.nodes(), [](const Node* x, const Node* y) { return same_node(*x, *y); }) &&
         std::ranges::equal(a.outputs(), b.outputs(), same_value);
}

Fingerprint fingerprint_of(const Graph& graph) {
  Fingerprint f = graph.fingerprint();
  for (const Value v : graph.outputs()) f.add((static_cast<std::uint64_t>(v.node->id) << 16) + v.index);
  return f;
}

}  // namespace weft::ir
