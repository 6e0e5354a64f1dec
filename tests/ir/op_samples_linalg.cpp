// Samples of linear algebra.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

// The diagonal dominates, so the matrix is positive definite.
void cholesky_samples(SampleList& list) {
  std::vector<Type> types{Type(DType::f64, {2, 3, 3}), Type(DType::f32, {0, 0}), Type(DType::f64, {1, 1})};
  for (const DType dtype : members(list.op().domain)) types.push_back(Type(dtype, {4, 4}));
  for (const Type type : types)
    for (const bool lower : {false, true})
      list.add({type}, [&](Graph& graph, std::span<const Value> x) {
        const Type numbers(DType::i32, type.dims());
        const Value diagonal =
            compare(iota(graph, numbers, type.rank() - 1), iota(graph, numbers, type.rank() - 2), Direction::EQ);
        const CholeskyAttributes attributes{lower};
        return all_results(
            graph.append(list.op(), std::array{select(diagonal, constant_like(x[0], 40), x[0])}, &attributes));
      });
}

void triangular_solve_samples(SampleList& list) {
  const auto add = [&](Type a, Type b, const TriangularSolveAttributes& attributes) {
    list.add({a, b}, [&](Graph& graph, std::span<const Value> x) {
      return all_results(graph.append(list.op(), x, &attributes));
    });
  };
  for (const bool left : {false, true})
    for (const bool lower : {false, true})
      for (const bool unit : {false, true})
        for (const Transpose transpose : {Transpose::NO_TRANSPOSE, Transpose::TRANSPOSE, Transpose::ADJOINT})
          add(Type(DType::f64, {2, 3, 3}), left ? Type(DType::f64, {2, 3, 2}) : Type(DType::f64, {2, 4, 3}),
              {left, lower, unit, transpose});
  for (const DType dtype : members(list.op().domain))
    add(Type(dtype, {3, 3}), Type(dtype, {3, 1}), {true, true, false, Transpose::NO_TRANSPOSE});
  add(Type(DType::f32, {0, 0}), Type(DType::f32, {0, 2}), {true, true, false, Transpose::NO_TRANSPOSE});
}

constexpr SampleEntry linalg_table[] = {
    {&ops::cholesky, cholesky_samples, needs_a_dimension},
    {&ops::triangular_solve, triangular_solve_samples, needs_a_dimension},
};

}  // namespace

constinit const std::span<const SampleEntry> linalg_samples = linalg_table;

}  // namespace weft::ir
