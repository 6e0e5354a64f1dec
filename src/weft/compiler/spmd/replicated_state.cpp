#include <weft/compiler/spmd/replicated_state.h>

#include <algorithm>
#include <functional>
#include <set>

#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

bool is_split_along(const ir::Sharding& sharding, int axis) {
  for (int d = 0; d < sharding.rank(); ++d)
    if (std::ranges::count(sharding.axes(d), axis) != 0) return true;
  return false;
}

bool has_dimension_that_divides(Type type, std::int64_t parts) {
  return std::ranges::any_of(type.dims(), [&](Dim size) { return size.value() % parts == 0; });
}

// Whether each element of the result is one of the operand, or a sum of such.
bool exchanges_elements(ir::Collective collective) {
  return collective == ir::Collective::all_reduce || collective == ir::Collective::reduce_scatter ||
         collective == ir::Collective::all_gather;
}

}  // namespace

std::vector<char> used_as_whole(const ir::Graph& graph) {
  std::vector<char> used(graph.nodes().size());
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const ir::Node& node = *graph.nodes()[i];
    const bool is_by_element = node.op->kind == ir::Kind::elementwise || node.op->kind == ir::Kind::indexing ||
                               node.op->kind == ir::Kind::shape || exchanges_elements(node.op->collective);
    for (const ir::Value v : node.operands)
      if (used[i] != 0 || !is_by_element) used[v.node->id] = 1;
  }
  return used;
}

std::vector<runtime::ReplicatedState> replicated_state(const Partitioned& program) {
  const ir::Graph& graph = *program.graph;
  const std::vector<char> is_whole = used_as_whole(graph);
  std::set<const ir::Node*> has_users;
  for (const ir::Node* node : graph.nodes())
    for (const ir::Value v : node->operands) has_users.insert(v.node);
  std::vector<runtime::ReplicatedState> found;
  for (int axis = 0; axis < std::ssize(program.mesh.axes()); ++axis) {
    const std::int64_t parts = program.mesh.size(axis);
    const auto splits = [&](const ir::Sharding& sharding) { return is_split_along(sharding, axis); };
    if (parts == 1 || std::ranges::none_of(program.inputs, splits)) continue;
    runtime::ReplicatedState state{.axis = program.mesh.axes()[axis].name, .devices = parts};
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      const ir::Node& input = *graph.inputs()[i].node;
      const Type type = graph.inputs()[i].type();
      if (splits(program.inputs[i]) || is_whole[input.id] != 0 || !has_users.contains(&input)) continue;
      if (!is_float(type.dtype()) || !has_dimension_that_divides(type, parts)) continue;
      ++state.tensors;
      state.bytes += static_cast<double>(type.bytes());
    }
    if (state.tensors > 0) found.push_back(std::move(state));
  }
  std::ranges::stable_sort(found, std::greater(), &runtime::ReplicatedState::bytes);
  return found;
}

}  // namespace weft::compiler
