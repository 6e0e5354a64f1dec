// Batching rules of opaque ops, and of those that say where values are placed.
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/batch_dims.h>

namespace weft::ir {

// A key that does not depend on the example gives all examples numbers from one draw.
std::vector<Batched> batch_rng_bit_generator(const BatchCall& c) {
  if (c.is_batched(0)) return batch_by_loop(c);
  const std::vector<Value> drawn =
      rng_bit_generator(c.x(), with_batch(c.node.type(1), c.size()), c.attributes<RngAttributes>().algorithm);
  return {{drawn[0], false}, drawn[1]};
}

std::vector<Batched> batch_optimization_barrier(const BatchCall& c) {
  std::vector<Value> operands;
  for (const Batched& operand : c.operands) operands.push_back(operand.value);
  std::vector<Batched> results;
  for (const Value v : optimization_barrier(operands))
    results.emplace_back(v, c.is_batched(static_cast<int>(results.size())));
  return results;
}

// The batch is not split.
std::vector<Batched> batch_sharding(const BatchCall& c) {
  std::string sharding(c.attributes<ShardingAttributes>().sharding);  // #sdy.sharding<@mesh, [{"x"}, {}]>
  const std::size_t begin = sharding.find('[') + 1;
  sharding.insert(begin, sharding[begin] == ']' ? "{}" : "{}, ");
  const ShardingAttributes attributes{sharding};
  return c.append(c.all_batched(), &attributes);
}

}  // namespace weft::ir
