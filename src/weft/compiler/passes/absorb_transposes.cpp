#include <algorithm>
#include <initializer_list>
#include <vector>

#include <weft/compiler/loop/matmul_shape.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using Dims = std::vector<std::int64_t>;

// An operand of dot_general with its dimensions by role.
struct DotOperand {
  ir::Value value;
  Dims batching, contracting;
};

// Returns the operand of the transpose in place of its result.
DotOperand before_transpose(const DotOperand& operand) {
  const auto permutation = operand.value.node->attributes<ir::TransposeAttributes>().permutation;
  const auto moved = [&](Dims dims) {
    for (std::int64_t& d : dims) d = permutation[d];
    return dims;
  };
  return {operand.value.node->operand(0), moved(operand.batching), moved(operand.contracting)};
}

// Returns the value behind ops that hand it on as it is, such as a slice of everything.
ir::Value unchanged(ir::Value value) {
  const auto is_any_of = [&](std::initializer_list<const ir::Op*> list) {
    return std::ranges::find(list, value.node->op) != list.end();
  };
  while (is_any_of({&ir::ops::slice, &ir::ops::reshape, &ir::ops::convert}) &&
         value.node->operand(0).type() == value.type())
    value = value.node->operand(0);
  return value;
}

// Returns the operand behind as many transposes as a product can read through: its result has the free dimensions in the operand's order,
// so `free`, the operand's free dimensions, have to stay in order.
DotOperand without_transposes(DotOperand operand) {
  Dims free = free_dims(operand.value.rank(), operand.batching, operand.contracting);
  DotOperand result = operand;
  for (operand.value = unchanged(operand.value); operand.value.node->op == &ir::ops::transpose;
       operand.value = unchanged(operand.value)) {
    const auto permutation = operand.value.node->attributes<ir::TransposeAttributes>().permutation;
    for (std::int64_t& d : free) d = permutation[d];
    operand = before_transpose(operand);
    if (std::ranges::is_sorted(free)) result = operand;
  }
  return result;
}

DotOperand lhs_of(const ir::Node& dot, ir::Value value) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  return {value, {a.lhs_batching.begin(), a.lhs_batching.end()}, {a.lhs_contracting.begin(), a.lhs_contracting.end()}};
}

DotOperand rhs_of(const ir::Node& dot, ir::Value value) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  return {value, {a.rhs_batching.begin(), a.rhs_batching.end()}, {a.rhs_contracting.begin(), a.rhs_contracting.end()}};
}

bool reads_transpose(const ir::Node& node) {
  if (node.op != &ir::ops::dot_general) return false;
  const auto absorbs = [](const DotOperand& operand) { return without_transposes(operand).value != operand.value; };
  return absorbs(lhs_of(node, node.operand(0))) || absorbs(rhs_of(node, node.operand(1)));
}

}  // namespace

std::shared_ptr<ir::Graph> absorb_transposes(const ir::Graph& graph) {
  return rewrite_where(
      graph, reads_transpose, [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
        const DotOperand lhs = without_transposes(lhs_of(node, operands[0])),
                         rhs = without_transposes(rhs_of(node, operands[1]));
        return std::optional(std::vector{ir::dot_general(lhs.value, rhs.value,
                                                         {lhs.batching, rhs.batching, lhs.contracting, rhs.contracting},
                                                         node.type().dtype())});
      });
}

}  // namespace weft::compiler
