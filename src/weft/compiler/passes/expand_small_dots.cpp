#include <optional>
#include <span>

#include <weft/base/size.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

// A library call takes about as long as a generated loop for this many multiplications (measured: 4 times as many if both operands are read
// along the vectors, exactly as many if one has to be gathered). Besides, the loop can be fused with its surroundings.
constexpr std::int64_t multiplications_of_a_call = 2048;

// Outer products are small whatever their size: an element is one product, which takes less time than to write it.
bool is_small_dot(const ir::Node& dot) {
  if (dot.op != &ir::ops::dot_general) return false;
  Size sums(1);
  for (const std::int64_t d : dot.attributes<ir::DotAttributes>().lhs_contracting)
    sums *= Size(dot.operand(0).type().dim(d));
  if (sums.is(1)) return true;
  const Size products = sums * product_of(dot.type().dims());
  return products.is_constant() && products.value() <= multiplications_of_a_call;
}

}  // namespace

std::shared_ptr<ir::Graph> expand_small_dots(const ir::Graph& graph) {
  return rewrite_where(graph, is_small_dot, [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
    const DType result = node.type().dtype();
    const DType sums = is_float(result) && byte_size(result) < 4 ? DType::f32 : result;  // rounded once
    const auto& dimensions = node.attributes<ir::DotAttributes>();
    return std::optional(
        std::vector{ir::convert(multiply_and_reduce(operands[0], operands[1], dimensions, sums), result)});
  });
}

}  // namespace weft::compiler
