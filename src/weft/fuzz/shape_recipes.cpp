#include <numeric>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

void grow_broadcast_in_dim(Grower& g, const Op&) {
  const Value x = g.any();
  Dims sizes = Grower::sizes_of(x.type()), places(sizes.size());
  std::iota(places.begin(), places.end(), 0);
  for (std::int64_t& size : sizes)
    if (size == 1 && g.random().one_in(2)) size = g.random_size();
  for (std::size_t extra = g.random().below(3); extra > 0; --extra) {
    const std::int64_t at = g.random().below(sizes.size() + 1);
    sizes.insert(sizes.begin() + at, g.random_size());
    for (std::int64_t& place : places) place += place >= at;
  }
  // The dimensions may also be permuted.
  if (places.size() > 1 && g.random().one_in(4)) {
    std::swap(places[0], places[1]);
    std::swap(sizes[places[0]], sizes[places[1]]);
  }
  const Type type = Grower::type_of(x.dtype(), sizes);
  require(type.elements() <= g.style().elements, "too large");
  g.add(ir::broadcast_in_dim(x, type, places));
}

void grow_reshape(Grower& g, const Op&) {
  const Value x = g.any();
  std::vector<Dim> dims;
  std::int64_t left = x.type().elements();
  for (const std::int64_t factor : {2, 3, 1, 5, 4, 11, 13})
    if (left > 0 && left % factor == 0 && g.random().one_in(3)) {
      dims.push_back(factor);
      left /= factor;
    }
  if (left != 1 || g.random().one_in(2)) dims.push_back(left);
  g.random().shuffle(dims);
  g.add(ir::reshape(x, dims));
}

void grow_transpose(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  Dims order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  g.random().shuffle(order);
  g.add(ir::transpose(x, order));
}

void grow_slice(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  Dims start, limit, stride;
  for (int d = 0; d < x.rank(); ++d) {
    const bool whole = g.random().one_in(3);
    start.push_back(whole ? 0 : g.random().between(0, x.size(d)));
    limit.push_back(whole ? x.size(d) : g.random().between(start.back(), x.size(d)));
    stride.push_back(g.random().one_in(2) ? 1 : g.random().between(1, 3));
  }
  g.add(ir::slice(x, start, limit, stride));
}

void grow_pad(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1), value = g.fitted(Type(x.dtype(), {}));
  Dims low, high, interior;
  for (int d = 0; d < x.rank(); ++d) {
    low.push_back(g.random().between(-1, 2));
    high.push_back(g.random().between(-1, 3));
    interior.push_back(g.random().one_in(3) ? g.random().between(0, 2) : 0);
  }
  g.add(ir::pad(x, value, low, high, interior));
}

void grow_concatenate(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  const auto dimension = g.random().between(0, x.rank() - 1);
  std::vector<Value> parts{x};
  for (std::size_t more = g.random().below(4); more > 0; --more) {
    Dims sizes = Grower::sizes_of(x.type());
    if (g.random().one_in(2)) sizes[dimension] = g.random_size();
    parts.push_back(g.fitted(x.dtype(), sizes));
  }
  g.random().shuffle(parts);
  g.add(ir::concatenate(parts, dimension));
}

void grow_reverse(Grower& g, const Op&) {
  const Value x = g.any_of_rank(1);
  g.add(ir::reverse(x, g.random_dimensions(x.rank())));
}

constexpr FuzzEntry shape_table[] = {
    {&ir::ops::broadcast_in_dim, grow_broadcast_in_dim},
    {&ir::ops::reshape, grow_reshape},
    {&ir::ops::transpose, grow_transpose},
    {&ir::ops::slice, grow_slice},
    {&ir::ops::pad, grow_pad},
    {&ir::ops::concatenate, grow_concatenate},
    {&ir::ops::reverse, grow_reverse},
};

}  // namespace

constinit const std::span<const FuzzEntry> shape_entries = shape_table;

}  // namespace weft::fuzz
