#include <weft/ir/counted_loop.h>

#include <algorithm>
#include <type_traits>

#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

std::optional<std::int64_t> integer(Value v) {
  if (v.node->op != &ops::constant || v.rank() != 0 || !is_integer(v.dtype())) return std::nullopt;
  const Literal& literal = v.node->attributes<ConstantAttributes>().value;
  return visit(v.dtype(), [&](auto tag) -> std::int64_t {
    if constexpr (std::is_integral_v<decltype(tag)>) return literal.at<decltype(tag)>(0);
    return 0;
  });
}

}  // namespace

std::optional<CountedLoop> counted_loop(const Node& loop) {
  const Graph &condition = *loop.regions[0], &body = *loop.regions[1];
  const Node& test = *condition.outputs()[0].node;
  if (test.op != &ops::compare || test.attributes<CompareAttributes>().direction != Direction::LT) return std::nullopt;
  for (std::size_t i = 0; i < body.outputs().size(); ++i) {
    if (test.operand(0) != condition.inputs()[i]) continue;
    const Node& next = *body.outputs()[i].node;
    if (next.op != &ops::add) return std::nullopt;
    const Value now = body.inputs()[i];
    const bool counts = (next.operand(0) == now && integer(next.operand(1)) == 1) ||
                        (next.operand(1) == now && integer(next.operand(0)) == 1);
    const auto first = integer(loop.operands[i]), end = integer(test.operand(1));
    if (!counts || !first || !end) return std::nullopt;
    return CountedLoop{i, *first, std::max<std::int64_t>(0, *end - *first)};
  }
  return std::nullopt;
}

}  // namespace weft::ir
