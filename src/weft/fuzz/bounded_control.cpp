#include <algorithm>

#include <weft/fuzz/bounded_rules.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

namespace {

std::vector<const Bounded*> pointers(std::span<const Bounded> list) {
  std::vector<const Bounded*> result;
  for (const Bounded& b : list) result.push_back(&b);
  return result;
}

std::vector<Bounded> unknown(std::vector<Bounded> values) {
  for (Bounded& b : values) std::ranges::fill(b.bound.data<double>(), infinity);
  return values;
}

std::vector<Bounded> run_while(const ir::Node& node, std::span<const Bounded* const> operands,
                               const Arithmetic& arithmetic) {
  const ir::Graph &condition = *node.regions[0], &body = *node.regions[1];
  std::vector<Bounded> values;
  for (const Bounded* operand : operands) values.push_back(*operand);
  bool is_known = true;
  for (;;) {
    const std::vector<Bounded> go_on = run_bounded(condition, pointers(values), arithmetic);
    is_known = is_known && go_on[0].is_exact();
    if (!go_on[0].value.data<bool>()[0]) break;
    values = run_bounded(body, pointers(values), arithmetic);
  }
  return is_known ? values : unknown(std::move(values));
}

std::size_t chosen_branch(const ir::Node& node, const ir::Array& by) {
  if (by.dtype() == DType::boolean) return by.data<bool>()[0] ? 0 : 1;
  const std::int32_t index = by.data<std::int32_t>()[0];
  const std::size_t last = node.regions.size() - 1;
  return index < 0 ? last : std::min(static_cast<std::size_t>(index), last);
}

}  // namespace

std::vector<Bounded> evaluate_control(const ir::Node& node, std::span<const Bounded* const> operands,
                                      const Arithmetic& arithmetic) {
  if (node.op->flow == ir::Flow::call) return run_bounded(*node.regions[0], operands, arithmetic);
  if (node.op->flow == ir::Flow::loop) return run_while(node, operands, arithmetic);
  const std::size_t branch = chosen_branch(node, operands[0]->value);
  std::vector<Bounded> results = run_bounded(*node.regions[branch], operands.subspan(1), arithmetic);
  return operands[0]->is_exact() ? results : unknown(std::move(results));
}

}  // namespace weft::fuzz
