#include <weft/compiler/fusion/cluster_key.h>

#include <unordered_map>

#include <weft/compiler/unit.h>
#include <weft/ir/op.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

class Writer {
 public:
  explicit Writer(const Placement& placement) : placement_(placement) {}

  void member(const Node& n) {
    add_number(n);
    describe(n);
  }
  void add(std::uint64_t value) { key_.add(value); }
  void add_number(const Node& n) { add(numbers_.try_emplace(n.id, numbers_.size() + 1).first->second); }

  const Fingerprint& key() const { return key_; }

 private:
  void describe(const Node& n) {
    add(reinterpret_cast<std::uintptr_t>(n.op));
    add(mix(static_cast<std::uint64_t>(placement_.fate(n)), placement_.is_view(n)));
    if (n.op->attributes) add(n.op->attributes->hash(n.attribute_data));
    for (const ir::Graph* region : n.regions) {
      add(region->fingerprint().low);
      add(region->fingerprint().high);
    }
    for (const Type type : n.types) add(type.hash());
    add(n.operands.size());
    for (const Value v : n.operands) operand(v);
  }

  // What is only read is known by its type; the way to it, and what is computed again, by its nodes.
  void operand(Value v) {
    const Node& n = *v.node;
    const bool known = numbers_.contains(n.id);
    add_number(n);
    add(v.index);
    if (known) return;
    if (placement_.is_inlined(n) || placement_.is_view(n) || storage_of(v) != v) {
      describe(n);
    } else {
      add(static_cast<std::uint64_t>(placement_.fate(n)));
      add(v.type().hash());
    }
  }

  const Placement& placement_;
  Fingerprint key_;
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;  // of nodes, in the order in which they are met
};

}  // namespace

Fingerprint cluster_key(const ir::Graph& graph, const Placement& placement, std::span<const std::uint32_t> nodes,
                        const Node* reduction, std::span<const Value> outputs) {
  Writer writer(placement);
  for (const std::uint32_t id : nodes) writer.member(*graph.nodes()[id]);
  writer.add(reduction != nullptr);
  if (reduction) writer.add_number(*reduction);
  for (const Value v : outputs) {
    writer.add_number(*v.node);
    writer.add(v.index);
  }
  return writer.key();
}

}  // namespace weft::compiler
