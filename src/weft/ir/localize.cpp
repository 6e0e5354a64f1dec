#include <weft/ir/localize.h>

#include <weft/ir/builder.h>
#include <weft/ir/resize.h>

namespace weft::ir {

namespace {

Value position_along(const Sharding::Axes& axes, const LocalCall& call) {
  Value position = constant(call.graph, Type(DType::i64, {}), 0);
  for (const int axis : axes) position = position * static_cast<double>(call.mesh.size(axis)) + call.coordinate(axis);
  return position;
}

}  // namespace

Value LocalCall::position(int result, int dim) const { return position_along(shardings[result].axes(dim), *this); }

Value LocalCall::position(int factor) const { return position_along(axes[factor], *this); }

std::vector<Value> append_smaller(const LocalCall& call, std::span<const Value> operands) {
  Node& local = append_resized(call.graph, call.node, operands, call.types);
  if (call.node.op->has_sizes()) {
    std::vector<std::int64_t> sizes = call.node.op->attributes->sizes(call.node.attribute_data);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (const int factor = call.factors.attribute_sizes[i]; factor >= 0)
        sizes[i] /= devices_along(call.mesh, call.axes[factor]);
    set_attribute_sizes(local, sizes);
  }
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < local.types.size(); ++i) results.push_back(local.result(i));
  return results;
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
  const LocalCall call{node, graph, operands, types, shardings, factors, mesh, axes, coordinate};
  return node.op->local ? node.op->local(call) : append_smaller(call, operands);
}

}  // namespace weft::ir
