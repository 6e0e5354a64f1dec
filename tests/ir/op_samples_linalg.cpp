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

// Matrices of all forms. A random matrix has no two equal singular values, and can be inverted.
void decomposition_samples(SampleList& list, const auto& attributes, const std::function<bool(Type)>& has_gradient) {
  std::vector<Type> types{Type(DType::f64, {2, 3, 3}), Type(DType::f64, {4, 2}),    Type(DType::f64, {2, 4}),
                          Type(DType::f64, {1, 1}),    Type(DType::f32, {0, 0}),    Type(DType::f32, {3, 0}),
                          Type(DType::f32, {0, 3}),    Type(DType::f32, {0, 2, 2}), Type(DType::f32, {5, 3})};
  for (const Type type : types) {
    OpSample& sample = list.add({type}, [&](Graph& graph, std::span<const Value> x) {
      return all_results(graph.append(list.op(), x, attributes));
    });
    if (!has_gradient(type)) sample.wrt.clear();
  }
}
const std::function<bool(Type)> always = [](Type) { return true; };

void lu_samples(SampleList& list) { decomposition_samples(list, nullptr, always); }

void qr_samples(SampleList& list) {
  for (const bool full : {false, true}) {
    const QrAttributes attributes{full};
    decomposition_samples(list, &attributes,
                          [&](Type type) { return !full || type.size(type.rank() - 2) <= type.size(type.rank() - 1); });
  }
}

void svd_samples(SampleList& list) {
  for (const SvdAttributes attributes :
       {SvdAttributes{false, true}, SvdAttributes{true, true}, SvdAttributes{false, false}})
    decomposition_samples(list, &attributes, [&](Type type) {
      return !attributes.full || type.size(type.rank() - 2) == type.size(type.rank() - 1);
    });
}

void pseudo_inverse_samples(SampleList& list) {
  for (const auto& [a, cutoff] : {std::pair(Type(DType::f64, {2, 3, 3}), Type(DType::f64, {2})),
                                  std::pair(Type(DType::f64, {4, 2}), Type(DType::f64, {})),
                                  std::pair(Type(DType::f64, {2, 4}), Type(DType::f64, {})),
                                  std::pair(Type(DType::f32, {0, 3}), Type(DType::f32, {})),
                                  std::pair(Type(DType::f32, {0, 2, 2}), Type(DType::f32, {0})),
                                  std::pair(Type(DType::f32, {5, 3}), Type(DType::f32, {}))}) {
    OpSample& sample = list.add({a, cutoff});
    sample.inputs[1] = {0, 1e-9};
    if (!sample.wrt.empty()) sample.wrt = {0};
  }
}

void eigh_samples(SampleList& list) {
  for (const bool lower : {false, true})
    for (const bool vectors : {false, true})
      for (const Type type : {Type(DType::f64, {2, 3, 3}), Type(DType::f64, {1, 1}), Type(DType::f32, {4, 4}),
                              Type(DType::f32, {0, 0}), Type(DType::f32, {0, 2, 2})}) {
        const EighAttributes attributes{lower, vectors};
        list.add({type}, [&](Graph& graph, std::span<const Value> x) {
          return all_results(graph.append(list.op(), x, &attributes));
        });
      }
}

void solve_samples(SampleList& list) {
  for (const bool transposed : {false, true})
    for (const auto& [a, b] : {std::pair(Type(DType::f64, {2, 3, 3}), Type(DType::f64, {2, 3, 2})),
                               std::pair(Type(DType::f64, {1, 1}), Type(DType::f64, {1, 4})),
                               std::pair(Type(DType::f32, {3, 3}), Type(DType::f32, {3, 1})),
                               std::pair(Type(DType::f32, {0, 0}), Type(DType::f32, {0, 2})),
                               std::pair(Type(DType::f32, {2, 2}), Type(DType::f32, {2, 0}))}) {
      const SolveAttributes attributes{transposed};
      list.add({a, b}, [&](Graph& graph, std::span<const Value> x) {
        return all_results(graph.append(list.op(), x, &attributes));
      });
    }
}

constexpr SampleEntry linalg_table[] = {
    {&ops::cholesky, cholesky_samples, needs_a_dimension},
    {&ops::triangular_solve, triangular_solve_samples, needs_a_dimension},
    {&ops::lu, lu_samples, needs_a_dimension},
    {&ops::qr, qr_samples, needs_a_dimension},
    {&ops::eigh, eigh_samples, needs_a_dimension},
    {&ops::svd, svd_samples, needs_a_dimension},
    {&ops::solve, solve_samples, needs_a_dimension},
    {&ops::pseudo_inverse, pseudo_inverse_samples, needs_a_dimension},
};

}  // namespace

constinit const std::span<const SampleEntry> linalg_samples = linalg_table;

}  // namespace weft::ir
