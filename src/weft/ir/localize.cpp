#include <weft/ir/localize.h>

#include <weft/ir/builder.h>
#include <weft/ir/resize.h>

namespace weft::ir {

Value LocalCall::position(int result, int dim) const {
  Value position = constant(graph, Type(DType::i64, {}), 0);
  for (const int axis : shardings[result].axes(dim))
    position = position * static_cast<double>(shardings[result].mesh().size(axis)) + coordinate(axis);
  return position;
}

std::vector<Value> append_local(Graph& graph, const Node& node, std::span<const Value> operands, const Factors& factors,
                                const Mesh& mesh, const FactorAxes& axes,
                                const std::function<Value(int axis)>& coordinate) {
  std::vector<Type> types;
  std::vector<Sharding> shardings;
  for (int i = 0; i < std::ssize(node.types); ++i) {
    shardings.push_back(*factors.result_sharding(i, mesh, axes));
    types.push_back(shardings.back().local_type(node.type(i)));
  }
  if (node.op->local) return node.op->local({node, graph, operands, types, shardings, coordinate});

  Node& local = append_resized(graph, node, operands, types);
  if (node.op->has_sizes()) {
    std::vector<std::int64_t> sizes = node.op->attributes->sizes(node.attribute_data);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (const int factor = factors.attribute_sizes[i]; factor >= 0) sizes[i] /= devices_along(mesh, axes[factor]);
    set_attribute_sizes(local, sizes);
  }
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < local.types.size(); ++i) results.push_back(local.result(i));
  return results;
}

}  // namespace weft::ir
