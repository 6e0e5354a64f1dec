#include <algorithm>
#include <utility>
#include <vector>

#include <weft/base/size.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Value;
using Dims = std::vector<std::int64_t>;

// Returns whether there is padding between elements, along dimensions whose sizes are known.
bool has_holes(const ir::Node& node) {
  const auto* pad = node.attributes_if<ir::PadAttributes>();
  if (!pad || node.type().rank() == Type::max_rank) return false;
  const auto is_known = [](std::int64_t number) { return Size(number).is_constant(); };
  bool has_some = false;
  for (std::size_t d = 0; d < pad->interior.size(); ++d) {
    if (pad->interior[d] == 0) continue;
    has_some = true;
    if (!node.operand(0).type().dims()[d].is_constant()) return false;
  }
  return has_some && std::ranges::all_of(pad->low, is_known) && std::ranges::all_of(pad->high, is_known);
}

// Returns x with `holes` elements behind each of its elements along a dimension: each element becomes a row that is padded.
Value with_holes(Value x, Value value, int dimension, std::int64_t holes) {
  std::vector<Dim> apart(x.type().dims().begin(), x.type().dims().end()), joined = apart;
  apart.insert(apart.begin() + dimension + 1, Dim(1));
  joined[dimension] = Dim(x.type().size(dimension) * (1 + holes));
  Dims none(apart.size()), behind(apart.size());
  behind[dimension + 1] = holes;
  return ir::reshape(ir::pad(ir::reshape(x, apart), value, none, behind, none), joined);
}

}  // namespace

std::shared_ptr<ir::Graph> expand_padding(const ir::Graph& graph) {
  return rewrite_where(graph, has_holes, [](ir::Graph&, const ir::Node& node, std::span<const Value> operands) {
    const auto& pad = node.attributes<ir::PadAttributes>();
    Value x = operands[0];
    const Dims low(pad.low.begin(), pad.low.end()), none(pad.low.size());
    Dims high(pad.high.begin(), pad.high.end());
    for (std::size_t d = 0; d < low.size(); ++d) {
      const int dimension = static_cast<int>(d);
      if (pad.interior[d] == 0 || x.type().size(dimension) < 2) continue;
      x = with_holes(x, operands[1], dimension, pad.interior[d]);
      high[d] -= pad.interior[d];  // behind the last element there are none
    }
    return std::optional(std::vector{ir::pad(x, operands[1], low, high, none)});
  });
}

}  // namespace weft::compiler
