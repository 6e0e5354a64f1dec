#include <weft/compiler/loop/matmul_shape.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using Dims = std::vector<std::int64_t>;

Dims joined(std::initializer_list<ir::Ints> parts) {
  Dims all;
  for (const ir::Ints part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Dims counted(std::size_t from, std::size_t count) {
  Dims dims(count);
  for (std::size_t i = 0; i < count; ++i) dims[i] = from + i;
  return dims;
}

// Returns whether a product could read the operands in place, through all ops that move elements.
bool is_ordered(const ir::Node& dot) {
  const auto as_is = [](ir::Value) { return true; };
  return matmul_shape(dot, view_of(dot.operand(0), as_is), view_of(dot.operand(1), as_is)).has_value();
}

// Returns the product of transposed operands: lhs with its contracted dimensions last, rhs with them first. An operand that is not to be
// transposed stays as it is.
ir::Value with_transposed(const ir::Node& node, std::span<const ir::Value> operands, bool turns_lhs, bool turns_rhs) {
  auto [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] = node.attributes<ir::DotAttributes>();
  const std::size_t batch = lhs_batching.size(), k = lhs_contracting.size();
  const Dims batching = counted(0, batch), first = counted(batch, k);
  ir::Value lhs = operands[0], rhs = operands[1];
  Dims last;
  if (turns_lhs) {
    const Dims free = free_dims(lhs.rank(), lhs_batching, lhs_contracting);
    lhs = ir::transpose(lhs, joined({lhs_batching, free, lhs_contracting}));
    last = counted(batch + free.size(), k);
    lhs_batching = batching;
    lhs_contracting = last;
  }
  if (turns_rhs) {
    rhs = ir::transpose(rhs,
                        joined({rhs_batching, rhs_contracting, free_dims(rhs.rank(), rhs_batching, rhs_contracting)}));
    rhs_batching = batching;
    rhs_contracting = first;
  }
  return ir::dot_general(lhs, rhs, {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting}, node.type().dtype());
}

}  // namespace

std::shared_ptr<ir::Graph> order_dot_operands(const ir::Graph& graph) {
  const auto ordered = rewrite_where(
      graph, [](const ir::Node& node) { return node.op == &ir::ops::dot_general && !is_ordered(node); },
      [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
        // Transposes one operand if the other is a matrix that fits.
        for (const auto& [turns_lhs, turns_rhs] : {std::pair{false, true}, {true, false}})
          if (const ir::Value one = with_transposed(node, operands, turns_lhs, turns_rhs); is_ordered(*one.node))
            return std::optional(std::vector{one});
        return std::optional(std::vector{with_transposed(node, operands, true, true)});
      });
  return ordered ? without_dead_nodes(*ordered) : nullptr;  // without the products that were tried
}

}  // namespace weft::compiler
