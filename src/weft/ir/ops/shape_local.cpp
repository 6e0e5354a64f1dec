// slice and pad of a dimension that is split. A shard of the result needs the same shard of the operand, and elements of its neighbours: as
// many as are cut off, or added, at an end. Where its elements begin depends on the device.
#include <algorithm>
#include <numeric>
#include <optional>

#include <weft/ir/builder.h>
#include <weft/ir/factors.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops/shape.h>

namespace weft::ir {

namespace {

// Relates dimension d of the operand to that of the result, of which a shard needs so many elements before and after the operand's shard.
// Does not if the sizes have no common divisor, or if more than a quarter of the operand would be sent: then a device saves little.
void relate_with_halo(const Node& node, Factors& f, int d, Halo halo) {
  const std::int64_t from = node.operand(0).size(d), to = node.type().size(d), parts = std::gcd(from, to);
  if (parts <= 1 || halo.before + halo.after > from / 4) return;
  halo.factor = f.add(parts);
  f.operands[0][d] = f.results[0][d] = {halo.factor};
  if (halo.before + halo.after > 0) f.halos.push_back(halo);
}

bool is_split(const LocalCall& call, int d) { return !call.shardings[0].axes(d).empty(); }

// Returns the number of elements before the device's shard of dimension d of the operand that it has, too.
std::int64_t elements_before(const LocalCall& call, int d) {
  const auto halo = std::ranges::find(call.factors.halos, d, &Halo::dim);
  return halo != call.factors.halos.end() && is_split(call, d) ? halo->before : 0;
}

// Where the elements that a device needs begin in dimension d of what it has: `first` on the first device, `step` further on each next one.
struct Begin {
  std::int64_t first = 0, step = 0;
};

// Returns elements of x: in dimension d, `sizes[d]` from where begins[d] says.
Value taken(const LocalCall& call, Value x, std::span<const Begin> begins, std::span<const std::int64_t> sizes) {
  const auto is_same_everywhere = [](const Begin& begin) { return begin.step == 0; };
  if (std::ranges::all_of(begins, is_same_everywhere)) {
    std::vector<std::int64_t> start, limit, ones(x.rank(), 1);
    for (int d = 0; d < x.rank(); ++d) {
      start.push_back(begins[d].first);
      limit.push_back(begins[d].first + sizes[d]);
    }
    return slice(x, start, limit, ones);
  }
  const auto number = [&](std::int64_t n) {
    return constant(call.graph, Type(DType::i64, {}), static_cast<double>(n));
  };
  std::vector<Value> starts;
  for (int d = 0; d < x.rank(); ++d) {
    const Begin& begin = begins[d];
    starts.push_back(begin.step == 0 ? number(begin.first)
                                     : call.position(0, d) * number(begin.step) + number(begin.first));
  }
  return dynamic_slice(x, starts, sizes);
}

}  // namespace

// A dimension that is taken completely needs no number of elements, so that it may be symbolic.
void slice_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<SliceAttributes>();
  const Type x = node.operand(0).type(), y = node.type();
  for (int d = 0; d < x.rank(); ++d) {
    if (a.start[d] == 0 && a.strides[d] == 1 && y.dim(d) == x.dim(d)) {
      f.operands[0][d] = f.results[0][d] = {f.add(x.dim(d))};
    } else if (x.dim(d).is_constant() && y.dim(d).is_constant()) {
      const std::int64_t cut_at_end = x.size(d) - a.strides[d] * y.size(d) - a.start[d];
      relate_with_halo(node, f, d,
                       {.operand = 0,
                        .dim = d,
                        .factor = -1,
                        .before = std::max<std::int64_t>(0, cut_at_end),
                        .after = std::max<std::int64_t>(0, a.start[d] - a.strides[d] + 1)});
    }
  }
}

std::vector<Value> slice_local(const LocalCall& call) {
  const auto& a = call.node.attributes<SliceAttributes>();
  const Type x = call.node.operand(0).type(), y = call.node.type(), own = call.types[0];
  std::vector<Begin> begins;
  std::vector<std::int64_t> sizes, zeros(x.rank());
  for (int d = 0; d < x.rank(); ++d) {
    const std::int64_t moved = x.size(d) - a.strides[d] * y.size(d);
    begins.push_back({.first = a.start[d] + elements_before(call, d),
                      .step = is_split(call, d) ? -moved / call.shardings[0].shards(d) : 0});
    sizes.push_back(own.size(d) == 0 ? 0 : a.strides[d] * (own.size(d) - 1) + 1);
  }
  const Value all = taken(call, call.operands[0], begins, sizes);
  const bool has_strides = std::ranges::any_of(a.strides, [](std::int64_t stride) { return stride != 1; });
  return {has_strides ? slice(all, zeros, sizes, a.strides) : all};
}

void pad_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<PadAttributes>();
  const Type x = node.operand(0).type(), y = node.type();
  for (int d = 0; d < y.rank(); ++d) {
    if (a.interior[d] != 0) continue;
    if (a.low[d] == 0 && a.high[d] == 0) {
      f.operands[0][d] = f.results[0][d] = {f.add(y.dim(d))};
    } else if (x.dim(d).is_constant() && y.dim(d).is_constant()) {
      relate_with_halo(node, f, d,
                       {.operand = 0,
                        .dim = d,
                        .factor = -1,
                        .before = std::max<std::int64_t>({0, a.low[d], -a.high[d]}),
                        .after = std::max<std::int64_t>({0, a.high[d], -a.low[d]}),
                        .beyond = 1});
    }
  }
}

std::vector<Value> pad_local(const LocalCall& call) {
  const auto& a = call.node.attributes<PadAttributes>();
  const Type x = call.node.operand(0).type(), y = call.node.type(), own = call.types[0];
  std::vector<std::int64_t> low(a.low.begin(), a.low.end()), high(a.high.begin(), a.high.end()), sizes;
  std::vector<Begin> begins;
  for (int d = 0; d < y.rank(); ++d) {
    if (is_split(call, d)) {
      begins.push_back(
          {.first = elements_before(call, d) - low[d], .step = (y.size(d) - x.size(d)) / call.shardings[0].shards(d)});
      sizes.push_back(own.size(d));
      low[d] = high[d] = 0;
    } else {
      begins.push_back({});
      sizes.push_back(x.size(d));
    }
  }
  return {pad(taken(call, call.operands[0], begins, sizes), call.operands[1], low, high, a.interior)};
}

}  // namespace weft::ir
