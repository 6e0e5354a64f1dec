#include <weft/fuzz/shrink.h>

#include <tuple>

#include <weft/base/error.h>
#include <weft/fuzz/edits.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

namespace {

// The order of graphs by size: first by ops, then by elements, inputs and bytes of constants.
struct Size {
  std::int64_t ops = 0, elements = 0, inputs = 0, bytes = 0;

  auto operator<=>(const Size&) const = default;
};

Size size_of(const ir::Graph& graph) {
  Size size{std::ssize(graph.outputs())};
  for (const ir::Node* node : graph.nodes()) {
    const bool is_constant = node->op == &ir::ops::constant;
    const bool is_input = node->op == &ir::ops::parameter;
    size.ops += is_constant || is_input ? 1 : 4;
    size.inputs += is_input;
    for (const Type type : node->types) size.elements += type.elements();
    if (is_constant)
      size.bytes += static_cast<std::int64_t>(node->attributes<ir::ConstantAttributes>().value.bytes.size());
    for (const ir::Graph* region : node->regions) {
      const Size inner = size_of(*region);
      size.ops += inner.ops;
      size.elements += inner.elements;
      size.inputs += inner.inputs;
      size.bytes += inner.bytes;
    }
  }
  return size;
}

// Returns the edited graph if it is smaller, otherwise nullptr.
GraphPtr smaller(const ir::Graph& graph, const Edit& edit) {
  try {
    const GraphPtr candidate = pruned(edit());
    return size_of(*candidate) < size_of(graph) ? candidate : nullptr;
  } catch (const Error&) {
    return nullptr;  // a type rule refused it
  }
}

}  // namespace

GraphPtr shrink(GraphPtr graph, const Predicate& still_fails) {
  graph = pruned(graph);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    auto list = edits(graph);
    for (std::size_t i = 0; i < list.size();) {
      const GraphPtr candidate = smaller(*graph, list[i]);
      if (!candidate || !still_fails(*candidate)) {
        ++i;
        continue;
      }
      graph = candidate;
      list = edits(graph);  // the edits before i had failed
      has_changed = true;
    }
  }
  return graph;
}

}  // namespace weft::fuzz
