#include <array>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

// If the op has its own range of test inputs, usually moves floating-point operands into that range.
Value in_range(Grower& g, const Op& op, Value x) {
  constexpr Op usual{};
  const bool has_own_range = op.low != usual.low || op.high != usual.high;
  if (!is_float(x.dtype()) || !has_own_range || g.random().one_in(4)) return x;
  const Type scalar(x.dtype(), {});
  return ir::clamp(ir::constant(g.graph(), scalar, op.low), x, ir::constant(g.graph(), scalar, op.high));
}

void grow_compare(Grower& g, const Op&) {
  const Value x = g.any(), y = g.fitted(x.type());
  const auto direction = static_cast<ir::Direction>(g.random().below(6));
  const bool total = is_float(x.dtype()) && g.random().one_in(4);
  g.add(ir::compare(x, y, direction, total ? ir::Comparison::TOTALORDER : ir::Comparison::NOTYPE));
}

void grow_convert(Grower& g, const Op&) { g.add(ir::convert(g.any(), g.random_dtype())); }

void grow_bitcast_convert(Grower& g, const Op& op) {
  const Value x = g.any(op.domain);
  DType to = g.random_dtype(op.domain);
  while (byte_size(to) != byte_size(x.dtype())) to = g.random_dtype(op.domain);
  g.add(ir::bitcast_convert(x, x.type().with(to)));
}

void grow_reduce_precision(Grower& g, const Op& op) {
  const Value x = g.any(op.domain);
  g.add(ir::reduce_precision(x, g.random().between(2, 8), g.random().between(0, 12)));
}

void grow_select(Grower& g, const Op&) {
  const Value x = g.any(), y = g.fitted(x.type());
  const Value predicate = g.fitted(g.random().one_in(4) ? Type(DType::boolean, {}) : x.type().with(DType::boolean));
  g.add(ir::select(predicate, x, y));
}

void grow_clamp(Grower& g, const Op&) {
  const Value x = g.any();
  const Type bound = g.random().one_in(2) ? x.type() : Type(x.dtype(), {});
  g.add(ir::clamp(g.fitted(bound), x, g.fitted(bound)));
}

void grow_placement(Grower& g, const Op& op) {
  const Value x = g.any(op.domain);
  std::string text = "#sdy.sharding<@mesh, [";
  bool is_split = false;  // along x, which every mesh of check.cpp has, with 2 to 4 devices
  for (int d = 0; d < x.rank(); ++d) {
    const bool splits = !is_split && x.size(d) % 12 == 0;
    text += concat(d == 0 ? "" : ", ", splits ? R"({"x"})" : "{}");
    is_split = is_split || splits;
  }
  text += "]>";
  const ir::ShardingAttributes sharding{text};
  const ir::PlacementAttributes placement;
  const bool is_call = !op.call_target.empty();
  g.add(g.graph().append(op, std::array{x}, is_call ? static_cast<const void*>(&placement) : &sharding).result());
}

constexpr FuzzEntry elementwise_table[] = {
    {&ir::ops::sharding_constraint, grow_placement},
    {&ir::ops::reshard, grow_placement},
    {&ir::ops::sharding, grow_placement},
    {&ir::ops::device_placement, grow_placement},
    {&ir::ops::compare, grow_compare},
    {&ir::ops::convert, grow_convert},
    {&ir::ops::bitcast_convert, grow_bitcast_convert},
    {&ir::ops::reduce_precision, grow_reduce_precision},
    {&ir::ops::select, grow_select},
    {&ir::ops::clamp, grow_clamp},
};

}  // namespace

constinit const std::span<const FuzzEntry> elementwise_entries = elementwise_table;

void grow_elementwise(Grower& g, const Op& op) {
  std::vector<Value> operands{in_range(g, op, g.any(op.domain))};
  while (std::ssize(operands) < op.arity) operands.push_back(in_range(g, op, g.fitted(operands.front().type())));
  g.add(g.graph().append(op, operands).result());
}

}  // namespace weft::fuzz
