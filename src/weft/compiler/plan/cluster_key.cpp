#include <weft/compiler/plan/cluster_key.h>

#include <weft/compiler/plan/unit.h>
#include <weft/ir/op.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

ClusterKeys::ClusterKeys(const ir::Graph& graph, const Placement& placement)
    : graph_(graph), placement_(placement), place_(graph.nodes().size()), met_by_(graph.nodes().size()) {}

Fingerprint ClusterKeys::of(std::span<const std::uint32_t> nodes, const Node* reduction,
                            std::span<const Value> outputs) {
  key_ = {};
  met_.clear();
  ++count_;
  for (const std::uint32_t id : nodes) {
    const Node& n = *graph_.nodes()[id];
    meet(n);
    describe(n);
  }
  key_.add(reduction ? place_of(*reduction) + 1 : 0);
  for (const Value v : outputs) key_.add(mix(place_of(*v.node), v.index));
  return key_;
}

std::uint32_t ClusterKeys::place_of(const Node& node) const {
  WEFT_ASSERT(met_by_[node.id] == count_, node.op->name, " is no part of the cluster");
  return place_[node.id];
}

bool ClusterKeys::meet(const Node& n) {
  const bool is_new = met_by_[n.id] != count_;
  if (is_new) {
    met_by_[n.id] = count_;
    place_[n.id] = met_.size();
    met_.push_back(n.id);
  }
  key_.add(place_[n.id]);
  return is_new;
}

void ClusterKeys::describe(const Node& n) {
  key_.add(reinterpret_cast<std::uintptr_t>(n.op));
  key_.add(mix(static_cast<std::uint64_t>(placement_.placed(n)), placement_.is_view(n)));
  if (n.op->attributes) key_.add(n.op->attributes->hash(n.attribute_data));
  for (const ir::Graph* region : n.regions) {
    key_.add(region->fingerprint().low);
    key_.add(region->fingerprint().high);
  }
  for (const Type type : n.types) key_.add(type.hash());
  key_.add(n.operands.size());
  for (const Value v : n.operands) add_operand(v);
}

// A value that is only read is described by its type; the path to it, recomputed nodes and the elements of splat constants are described by
// their nodes.
void ClusterKeys::add_operand(Value v) {
  const Node& n = *v.node;
  const bool is_new = meet(n);
  key_.add(v.index);
  if (!is_new) return;
  const bool from_nothing = n.op->kind == ir::Kind::source && can_lower(n);
  if (from_nothing || placement_.is_inlined(n) || placement_.is_view(n) || storage_of(v) != v) {
    describe(n);
  } else {
    key_.add(static_cast<std::uint64_t>(placement_.placed(n)));
    key_.add(v.type().hash());
  }
}

}  // namespace weft::compiler
