// Recipes for ops without operands and for opaque ops.
#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

void grow_constant(Grower& g, const Op&) {
  g.add(g.random_constant(Grower::type_of(g.random_dtype(), g.random_sizes(0, 3))));
}

void grow_iota(Grower& g, const Op& op) {
  const Type type = Grower::type_of(g.random_dtype(op.domain), g.random_sizes(1, 3));
  g.add(ir::iota(g.graph(), type, g.random().between(0, type.rank() - 1)));
}

void grow_rng_bit_generator(Grower& g, const Op&) {
  constexpr ir::RngAlgorithm algorithms[] = {ir::RngAlgorithm::DEFAULT, ir::RngAlgorithm::THREE_FRY,
                                             ir::RngAlgorithm::PHILOX};
  const ir::RngAlgorithm algorithm = g.random().pick(algorithms);
  const std::int64_t words = algorithm == ir::RngAlgorithm::PHILOX && g.random().one_in(2) ? 3 : 2;
  const Type type = Grower::type_of(g.random_dtype(ir::unsigned_integers), g.random_sizes(0, 3));
  g.add(ir::rng_bit_generator(g.fitted(DType::u64, Dims{words}), type, algorithm));
}

void grow_optimization_barrier(Grower& g, const Op&) {
  std::vector<Value> values{g.any()};
  while (g.random().one_in(2)) values.push_back(g.any());
  g.add(ir::optimization_barrier(values));
}

constexpr FuzzEntry sources[] = {{&ir::ops::constant, grow_constant}, {&ir::ops::iota, grow_iota}};
constexpr FuzzEntry opaque[] = {{&ir::ops::rng_bit_generator, grow_rng_bit_generator},
                                {&ir::ops::optimization_barrier, grow_optimization_barrier, same_operands_bounds}};

}  // namespace

constinit const std::span<const FuzzEntry> source_entries = sources, opaque_entries = opaque;

}  // namespace weft::fuzz
