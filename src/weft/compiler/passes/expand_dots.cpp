#include <algorithm>

#include <weft/base/size.h>
#include <weft/compiler/loop/matmul_shape.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

bool has(ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); }

}  // namespace

SumsOfDot sums_along(ir::Value rhs, const ir::DotAttributes& a) {
  return has(a.rhs_contracting, rhs.rank() - 1) ? SumsOfDot::along_rows : SumsOfDot::down_columns;
}

// Computes the sum over k of lhs[b, m, k] * rhs[b, k, n] in a domain ordered b, m, k, n, so that n, the last axis, is vectorised; or along
// rows, in one ordered b, m, n, k.
ir::Value multiply_and_reduce(ir::Value lhs, ir::Value rhs, const ir::DotAttributes& a, DType dtype, SumsOfDot sums) {
  const auto where = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) - list.begin(); };
  const auto batch = std::ssize(a.lhs_batching), k = std::ssize(a.lhs_contracting);
  const std::int64_t m = lhs.rank() - batch - k, n = rhs.rank() - batch - k;
  const bool is_along_rows = sums == SumsOfDot::along_rows;
  if (!is_along_rows && n == 0 && m > 0)  // the columns are those of the left operand
    return multiply_and_reduce(rhs, lhs, {a.rhs_batching, a.lhs_batching, a.rhs_contracting, a.lhs_contracting}, dtype,
                               sums);
  const std::int64_t first_k = batch + m + (is_along_rows ? n : 0), first_n = batch + m + (is_along_rows ? 0 : k);
  std::vector<Dim> dims(batch + m + n + k);
  std::vector<std::int64_t> lhs_at, rhs_at;
  std::int64_t next = batch;
  for (int d = 0; d < lhs.rank(); ++d) {
    lhs_at.push_back(has(a.lhs_batching, d)      ? where(a.lhs_batching, d)
                     : has(a.lhs_contracting, d) ? first_k + where(a.lhs_contracting, d)
                                                 : next++);
    dims[lhs_at.back()] = lhs.type().dim(d);
  }
  next = first_n;
  for (int d = 0; d < rhs.rank(); ++d) {
    rhs_at.push_back(has(a.rhs_batching, d)      ? where(a.rhs_batching, d)
                     : has(a.rhs_contracting, d) ? first_k + where(a.rhs_contracting, d)
                                                 : next++);
    dims[rhs_at.back()] = rhs.type().dim(d);
  }
  const Type domain(dtype, dims);
  std::vector<std::int64_t> reduced;
  for (std::int64_t d = 0; d < k; ++d) reduced.push_back(first_k + d);
  const ir::Value product = ir::broadcast_in_dim(ir::convert(lhs, dtype), domain, lhs_at) *
                            ir::broadcast_in_dim(ir::convert(rhs, dtype), domain, rhs_at);
  if (std::ranges::all_of(reduced, [&](std::int64_t d) { return dims[d] == Dim(1); })) {
    dims.erase(dims.begin() + first_k, dims.begin() + first_k + k);
    return ir::reshape(product + 0, dims);  // a sum begins at +0, so that it is never -0
  }
  return ir::reduce_sum(product, reduced);
}

namespace {

bool is_empty(const ir::Node& dot) {
  return product_of(dot.operand(0).type().dims()).is(0) || product_of(dot.operand(1).type().dims()).is(0);
}

bool needs_expansion(const ir::Node& node, const Target& target) {
  return node.op == &ir::ops::dot_general &&
         (is_empty(node) || !target.multiplies(node.operand(0).dtype(), node.operand(1).dtype(), node.type().dtype()));
}

}  // namespace

std::shared_ptr<ir::Graph> expand_dots(const ir::Graph& graph, const Target& target) {
  return rewrite_where(
      graph, [&](const ir::Node& node) { return needs_expansion(node, target); },
      [](ir::Graph&, const ir::Node& node, std::span<const ir::Value> operands) {
        const DType lhs = operands[0].dtype(), rhs = operands[1].dtype(), result = node.type().dtype();
        const auto& a = node.attributes<ir::DotAttributes>();
        const auto narrow = [](DType t) { return is_float(t) && t != DType::f64; };
        ir::Value sum;
        if (narrow(lhs) && narrow(rhs) && narrow(result) && !is_empty(node)) {  // computed in f32 and rounded once
          const ir::Value x = ir::convert(operands[0], DType::f32), y = ir::convert(operands[1], DType::f32);
          sum = ir::convert(ir::dot_general(x, y, a, DType::f32), result);
        } else {
          sum = multiply_and_reduce(operands[0], operands[1], a, result, sums_along(operands[1], a));
        }
        return std::optional(std::vector{sum});
      });
}

}  // namespace weft::compiler
