#include <algorithm>

#include <weft/base/size.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/rewrite.h>
#include <weft/compiler/thunks/matmul_thunk.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

// sum over k of lhs[b, m, k] * rhs[b, k, n], in a domain ordered b, m, k, n so that n, which comes last, is the one vectorised.
ir::Value multiply_and_reduce(ir::Value lhs, ir::Value rhs, const ir::DotAttributes& a, DType dtype) {
  const auto has = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); };
  const auto where = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) - list.begin(); };
  const auto batch = static_cast<std::int64_t>(a.lhs_batching.size()),
             k = static_cast<std::int64_t>(a.lhs_contracting.size());
  const std::int64_t m = lhs.rank() - batch - k;
  std::vector<Dim> dims(static_cast<std::size_t>(batch + m + k + rhs.rank() - batch - k));
  std::vector<std::int64_t> lhs_at, rhs_at;
  std::int64_t next = batch;
  for (int d = 0; d < lhs.rank(); ++d) {
    lhs_at.push_back(has(a.lhs_batching, d)      ? where(a.lhs_batching, d)
                     : has(a.lhs_contracting, d) ? batch + m + where(a.lhs_contracting, d)
                                                 : next++);
    dims[static_cast<std::size_t>(lhs_at.back())] = lhs.type().dim(d);
  }
  next = batch + m + k;
  for (int d = 0; d < rhs.rank(); ++d) {
    rhs_at.push_back(has(a.rhs_batching, d)      ? where(a.rhs_batching, d)
                     : has(a.rhs_contracting, d) ? batch + m + where(a.rhs_contracting, d)
                                                 : next++);
    dims[static_cast<std::size_t>(rhs_at.back())] = rhs.type().dim(d);
  }
  const Type domain(dtype, dims);
  std::vector<std::int64_t> reduced;
  for (std::int64_t d = 0; d < k; ++d) reduced.push_back(batch + m + d);
  const ir::Value product = ir::broadcast_in_dim(ir::convert(lhs, dtype), domain, lhs_at) *
                            ir::broadcast_in_dim(ir::convert(rhs, dtype), domain, rhs_at);
  return k ? ir::reduce_sum(product, reduced) : product;
}

std::shared_ptr<ir::Graph> expand_dots(const ir::Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const ir::Node& node,
                          std::span<const ir::Value> operands) -> std::optional<std::vector<ir::Value>> {
    if (node.op != &ir::ops::dot_general) return std::nullopt;
    const DType lhs = operands[0].dtype(), rhs = operands[1].dtype(), result = node.type().dtype();
    const auto& a = node.attributes<ir::DotAttributes>();
    const bool empty = product_of(operands[0].type().dims()).is(0) || product_of(operands[1].type().dims()).is(0);
    if (matmul_supported(lhs, rhs, result) && !empty) return std::nullopt;
    const auto narrow = [](DType t) { return is_float(t) && t != DType::f64; };
    if (narrow(lhs) && narrow(rhs) && narrow(result) && !empty)  // by way of f32, rounded once
      return std::vector{ir::convert(
          ir::dot_general(ir::convert(operands[0], DType::f32), ir::convert(operands[1], DType::f32), a, DType::f32),
          result)};
    return std::vector{multiply_and_reduce(operands[0], operands[1], a, result)};
  });
}

}  // namespace weft::compiler
