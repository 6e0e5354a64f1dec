// How sources are split.
#include <weft/ir/builder.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops/source.h>

namespace weft::ir {

// Only a splat can be split, because its shards are equal.
void constant_factors(const Node& node, Factors& f) {
  if (node.attributes<ConstantAttributes>().value.is_splat()) pointwise_factors(node, f);
}

void iota_factors(const Node& node, Factors& f) { pointwise_factors(node, f); }

Value constant_local(const LocalCall& call) {
  return constant(call.graph, Literal{call.type, call.node.attributes<ConstantAttributes>().value.bytes});
}

// Counts from the position of the shard. In i64, because the numbers would be rounded in a narrower dtype.
Value iota_local(const LocalCall& call) {
  const std::int64_t dimension = call.node.attributes<IotaAttributes>().dimension;
  const auto& axes = call.sharding.axes(static_cast<int>(dimension));
  if (axes.empty()) return iota(call.graph, call.type, dimension);
  const Type counts = call.type.with(DType::i64);
  Value first = constant(call.graph, Type(DType::i64, {}), 0);
  for (const int axis : axes)
    first = first * static_cast<double>(call.sharding.mesh().size(axis)) + call.coordinate(axis);
  first = multiply(first, constant_like(first, static_cast<double>(call.type.size(static_cast<int>(dimension)))));
  return convert(add(iota(call.graph, counts, dimension), broadcast(first, counts)), call.type.dtype());
}

}  // namespace weft::ir
