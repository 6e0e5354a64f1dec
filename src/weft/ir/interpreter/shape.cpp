// Shape ops as copies between views: all of them copy elements; only the strides differ.
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// Returns the elements of `x` that `from` covers, as the result.
std::vector<Array> copied(const NodeCall& call, const View& from) {
  Array result(call.type());
  copy(call[0], from, result, whole(call.type()));
  return one(std::move(result));
}

}  // namespace

std::vector<Array> broadcast_in_dim(const NodeCall& call) {
  const View x = whole(call[0].type());
  const Ints dimensions = call.attributes<BroadcastAttributes>().dimensions;
  View from{0, sizes_of(call.type()), Index(call.type().dims().size(), 0)};
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    if (x.sizes[d] != 1) from.strides[dimensions[d]] = x.strides[d];
  return copied(call, from);
}

std::vector<Array> reshape(const NodeCall& call) { return one(Array(call[0]).with_type(call.type())); }

std::vector<Array> transpose(const NodeCall& call) {
  return copied(call, permuted(whole(call[0].type()), call.attributes<TransposeAttributes>().permutation));
}

std::vector<Array> slice(const NodeCall& call) {
  const auto& a = call.attributes<SliceAttributes>();
  View from = whole(call[0].type());
  from.offset = dot(a.start, from.strides);
  from.sizes = sizes_of(call.type());
  for (std::size_t d = 0; d < a.strides.size(); ++d) from.strides[d] *= a.strides[d];
  return copied(call, from);
}

std::vector<Array> pad(const NodeCall& call) {
  const auto& a = call.attributes<PadAttributes>();
  Index steps;
  for (const std::int64_t interior : a.interior) steps.push_back(interior + 1);
  return one(padded(call[0], call[1], a.low, steps, call.type()));
}

std::vector<Array> concatenate(const NodeCall& call) {
  return one(concatenated(call.operands, call.attributes<ConcatenateAttributes>().dimension));
}

std::vector<Array> reverse(const NodeCall& call) {
  View from = whole(call[0].type());
  for (const std::int64_t dimension : call.attributes<DimensionsAttributes>().dimensions) {
    const std::size_t d = dimension;
    from.offset += (from.sizes[d] - 1) * from.strides[d];
    from.strides[d] = -from.strides[d];
  }
  return copied(call, from);
}

}  // namespace weft::ir::interpreter
