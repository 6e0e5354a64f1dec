#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

std::vector<Array> cholesky_rule(const NodeCall& call) {
  Array result(call.type());
  const std::int64_t n = call.type().size(call.type().rank() - 1);
  visit(result.dtype(), [&]<class T>(T) {
    for (std::int64_t at = 0; at < result.size(); at += n * n)
      cholesky_factor(call[0].data<T>().data() + at, result.data<T>().data() + at, n,
                      call.attributes<CholeskyAttributes>().lower);
  });
  return one(std::move(result));
}

std::vector<Array> triangular_solve_rule(const NodeCall& call) {
  Array result = call[1];
  const auto layout = triangular_layout(call.attributes<TriangularSolveAttributes>(), call[0].type(), result.type());
  const std::int64_t n = layout.system.size, step = layout.vectors * n;
  visit(result.dtype(), [&]<class T>(T) {
    for (std::int64_t i = 0; i < layout.batch; ++i)
      for (std::int64_t v = 0; v < layout.vectors; ++v)
        layout.system.solve(call[0].data<T>().data() + i * n * n, result.data<T>().data() + i * step + v * layout.start,
                            layout.stride);
  });
  return one(std::move(result));
}

}  // namespace weft::ir::interpreter
