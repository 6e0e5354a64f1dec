// Batching rules of shape ops: the batch is one more dimension, of which everything is taken.
#include <weft/ir/builder.h>
#include <weft/ir/ops/batch_dims.h>
#include <weft/ir/ops/shape.h>

namespace weft::ir {

std::vector<Batched> batch_broadcast_in_dim(const BatchCall& c) {
  return {broadcast_in_dim(c.x(), with_batch(c.node.type(), c.size()),
                           prepended(0, shifted(c.attributes<BroadcastAttributes>().dimensions)))};
}

std::vector<Batched> batch_transpose(const BatchCall& c) {
  return {transpose(c.x(), prepended(0, shifted(c.attributes<TransposeAttributes>().permutation)))};
}

std::vector<Batched> batch_slice(const BatchCall& c) {
  const auto& a = c.attributes<SliceAttributes>();
  return {slice(c.x(), prepended(0, a.start), prepended(c.size(), a.limit), prepended(1, a.strides))};
}

std::vector<Batched> batch_pad(const BatchCall& c) {
  if (c.is_batched(1)) return batch_by_loop(c);
  const auto& a = c.attributes<PadAttributes>();
  return {pad(c.x(), c.x(1), prepended(0, a.low), prepended(0, a.high), prepended(0, a.interior))};
}

std::vector<Batched> batch_concatenate(const BatchCall& c) {
  return {concatenate(c.all_batched(), c.attributes<ConcatenateAttributes>().dimension + 1)};
}

std::vector<Batched> batch_reverse(const BatchCall& c) {
  return {reverse(c.x(), shifted(c.attributes<DimensionsAttributes>().dimensions))};
}

}  // namespace weft::ir
