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

std::vector<Value> constant_local(const LocalCall& call) {
  return {constant(call.graph, Literal{call.types[0], call.node.attributes<ConstantAttributes>().value.bytes})};
}
std::vector<Value> iota_local(const LocalCall& call) {
  const auto dimension = static_cast<int>(call.node.attributes<IotaAttributes>().dimension);
  const Type type = call.types[0];
  if (call.shardings[0].axes(dimension).empty()) return {iota(call.graph, type, dimension)};
  const Type counts = type.with(DType::i64);
  const Value position = call.position(0, dimension);
  const Value first = multiply(position, constant_like(position, static_cast<double>(type.size(dimension))));
  return {convert(add(iota(call.graph, counts, dimension), broadcast(first, counts)), type.dtype())};
}

}  // namespace weft::ir
