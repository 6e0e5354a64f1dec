// linalg: decompositions, systems and functions of matrices.
#include <cmath>

#include <gmock/gmock.h>

#include <weft/base/lapack.h>
#include <weft/ir/ops.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;
using test::inf;
using test::nan;

// Random numbers in (-1, 1), f64: unlike test::arbitrary, they fill matrices of full rank.
Tensor random_numbers(const Shape& shape, int seed = 0) {
  return from_vector((random::uniform(random::Key(seed + 1), shape, DType::f64) * 2.0 - 1.0).to_vector<double>(),
                     shape);
}

// Matrices [..., rows, columns] of every form.
std::vector<Shape> forms() {
  return {{3, 3}, {5, 2}, {2, 5}, {2, 4, 3}, {2, 3, 4}, {1, 1}, {3, 1}, {0, 0}, {3, 0}, {0, 3}, {0, 2, 3}};
}
std::vector<Shape> square_forms() { return {{3, 3}, {2, 4, 4}, {1, 1}, {0, 0}, {0, 2, 2}}; }

Tensor mt(const Tensor& x) { return transpose(x); }
Tensor symmetric(const Tensor& x) { return (x + mt(x)) * 0.5; }
Tensor positive(const Tensor& x) { return matmul(x, mt(x)) + eye(x.size(-1), x.dtype()); }

void expect_near(const Tensor& x, const Tensor& y, double tolerance) {
  ASSERT_EQ(x.shape(), y.shape());
  const Doubles a = x.to_vector<double>(), b = y.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i;
}
// The columns are orthonormal.
void expect_orthonormal(const Tensor& q, double tolerance) {
  expect_near(matmul(mt(q), q), broadcast_to(eye(q.size(-1), q.dtype()), matmul(mt(q), q).shape()), tolerance);
}

double tolerance_of(DType dtype) { return dtype == DType::f64 ? 1e-12 : 1e-5; }

TEST(Decomposition, FactorsGiveTheMatrixBack) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Shape& shape : forms()) {
      SCOPED_TRACE(concat(Type(dtype, shape)));
      const Tensor a = random_numbers(shape).to(dtype);
      const double tolerance = tolerance_of(dtype);

      const auto [p, l, u] = linalg::lu(a);
      expect_near(matmul(p, matmul(l, u)), a, tolerance);
      expect_near(tril(l), l, 0);
      expect_near(triu(u), u, 0);

      for (const bool complete : {false, true}) {
        const auto [q, r] = linalg::qr(a, complete);
        expect_near(matmul(q, r), a, tolerance);
        expect_orthonormal(q, tolerance);
        expect_near(triu(r), r, 0);
        EXPECT_EQ(q.size(-1), complete ? a.size(-2) : std::min(a.size(-2), a.size(-1)));
      }

      const auto [left, s, right] = linalg::svd(a);
      expect_near(matmul(left * unsqueeze(s, -2), right), a, tolerance);
      expect_orthonormal(left, tolerance);
      expect_orthonormal(mt(right), tolerance);
      expect_near(s, sort(s, -1, true), 0);
      expect_near(linalg::svdvals(a), s, tolerance);
      const auto [whole_left, same, whole_right] = linalg::svd(a, true);
      expect_near(same, s, tolerance);
      expect_orthonormal(whole_left, tolerance);
      expect_orthonormal(whole_right, tolerance);
      EXPECT_EQ(whole_left.size(-1), a.size(-2));
      EXPECT_EQ(whole_right.size(-2), a.size(-1));

      const Tensor inverse = linalg::pinv(a);
      expect_near(matmul(matmul(a, inverse), a), a, 10 * tolerance);
      expect_near(symmetric(matmul(a, inverse)), matmul(a, inverse), 10 * tolerance);
      expect_near(symmetric(matmul(inverse, a)), matmul(inverse, a), 10 * tolerance);
    }
}

TEST(Decomposition, FactorsOfSymmetricMatrices) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Shape& shape : square_forms()) {
      SCOPED_TRACE(concat(Type(dtype, shape)));
      const Tensor a = symmetric(random_numbers(shape).to(dtype));
      const double tolerance = tolerance_of(dtype);
      const auto [values, vectors] = linalg::eigh(a);
      expect_near(matmul(vectors * unsqueeze(values, -2), mt(vectors)), a, tolerance);
      expect_orthonormal(vectors, tolerance);
      expect_near(values, sort(values), 0);
      expect_near(linalg::eigvalsh(a), values, tolerance);

      const Tensor b = positive(a), lower = linalg::cholesky(b), upper = linalg::cholesky(b, true);
      expect_near(matmul(lower, mt(lower)), b, tolerance);
      expect_near(mt(upper), lower, tolerance);
      const Tensor sides = random_numbers(shape, 1).to(dtype);
      expect_near(matmul(b, linalg::cholesky_solve(sides, lower)), sides, 10 * tolerance);
      expect_near(matmul(b, linalg::cholesky_solve(sides, upper, true)), sides, 10 * tolerance);
    }
}

TEST(Decomposition, Systems) {
  const Tensor a = random_numbers({2, 1, 4, 4}) + 2 * eye(4, DType::f64), b = random_numbers({3, 4, 2}, 1),
               vector = random_numbers({4}, 2);
  expect_near(matmul(a, linalg::solve(a, b)), broadcast_to(b, {2, 3, 4, 2}), 1e-12);
  expect_near(matmul(a, unsqueeze(linalg::solve(a, vector), -1)), broadcast_to(unsqueeze(vector, -1), {2, 1, 4, 1}),
              1e-12);
  expect_near(matmul(a, linalg::inv(a)), broadcast_to(eye(4, DType::f64), {2, 1, 4, 4}), 1e-12);
  for (const bool upper : {false, true})
    for (const bool left : {false, true})
      for (const bool unit : {false, true})
        for (const bool transposed : {false, true}) {
          const Tensor t = upper ? triu(a) : tril(a);
          const Tensor filled = unit ? where(eye(4, DType::f64) == 1.0, ones_like(t), t) : t;
          const Tensor matrix = transposed ? mt(filled) : filled, sides = left ? b : mt(b);
          const Tensor x = linalg::solve_triangular(a, sides, {upper, left, unit, transposed});
          expect_near(left ? matmul(matrix, x) : matmul(x, matrix), broadcast_to(sides, x.shape()), 1e-12);
        }
  // The residual is orthogonal to the columns if there are more rows than unknowns; the solution is in the row space if there are fewer.
  const Tensor tall = random_numbers({5, 3}), wide = random_numbers({3, 5}), five = random_numbers({5}, 4),
               three = random_numbers({3, 2}, 5);
  expect_near(matmul(mt(tall), matmul(tall, linalg::lstsq(tall, five)) - five), zeros({3}, DType::f64), 1e-12);
  const Tensor least = linalg::lstsq(wide, three);
  expect_near(matmul(wide, least), three, 1e-12);
  expect_near(matmul(matmul(linalg::pinv(wide), wide), least), least, 1e-12);
}

TEST(Decomposition, NumbersOfMatrices) {
  const Tensor a = tensor({{2.0, 1.0}, {4.0, -3.0}}).to(DType::f64);
  expect_values(linalg::det(a), {}, {-10});
  const Tensor big = random_numbers({3, 5, 5});
  const auto [sign, logarithm] = linalg::slogdet(big);
  expect_near(sign * exp(logarithm), linalg::det(big), 1e-12);
  expect_near(linalg::det(matmul(big, big)), square(linalg::det(big)), 1e-12);
  // The rule of Sarrus and the factorization agree.
  const Tensor three = random_numbers({3, 3});
  const auto [three_sign, three_logarithm] = linalg::slogdet(three);
  expect_near(three_sign * exp(three_logarithm), linalg::det(three), 1e-12);
  expect_values(linalg::det(zeros({2, 0, 0})), {2}, {1, 1});
  expect_values(linalg::slogdet(zeros({2, 2})).sign, {}, {0});
  expect_values(linalg::slogdet(zeros({2, 2})).logabsdet, {}, {-inf});
  expect_values(linalg::matrix_rank(tensor({{1.0, 2.0}, {2.0, 4.0}})), {}, {1});
  expect_values(linalg::matrix_rank(stack({zeros({3, 2}), ones({3, 2})})), {2}, {0, 1});
  expect_values(linalg::cond(tensor({{4.0, 0.0}, {0.0, 0.5}})), {}, {8}, 1e-5);
  expect_values(linalg::trace(test::matrix()), {}, {4});
  expect_values(diagonal(test::matrix(), 1), {2}, {1, 5});
  expect_values(diagonal(test::matrix(), -1), {1}, {3});
  expect_values(diag_embed(tensor({2.0, nan})), {2, 2}, {2, 0, 0, nan});
  expect_values(kron(tensor({{1, 2}}), tensor({{1}, {3}})), {2, 2}, {1, 2, 3, 6});
  expect_values(cross(tensor({1, 0, 0}), tensor({{0, 1, 0}, {0, 0, 1}})), {2, 3}, {0, 0, 1, 0, -1, 0});
  using enum linalg::MatrixNorm;
  const Tensor m = tensor({{3.0, 0.0}, {0.0, -4.0}});
  const std::pair<linalg::MatrixNorm, double> norms[] = {{fro, 5},      {nuc, 7}, {largest, 4},
                                                         {smallest, 3}, {one, 4}, {inf, 4}};
  for (const auto& [kind, value] : norms) expect_values(linalg::matrix_norm(m, kind), {}, {value}, 1e-5);
  const Tensor v = tensor({1.0, -2.0, 0.0});
  const std::pair<double, double> vector_norms[] = {
      {0, 2}, {1, 3}, {2, std::sqrt(5)}, {3, std::cbrt(9)}, {test::inf, 2}, {-test::inf, 0}};
  for (const auto& [p, value] : vector_norms) expect_values(linalg::vector_norm(v, p), {}, {value}, 1e-5);
}

TEST(Decomposition, PowersAndExponentials) {
  const Tensor a = random_numbers({2, 3, 3});
  expect_near(linalg::matrix_power(a, 5), matmul(a, matmul(a, matmul(a, matmul(a, a)))), 1e-12);
  expect_near(matmul(linalg::matrix_power(a, -2), matmul(a, a)), linalg::matrix_power(a, 0), 1e-10);
  // A rotation by any angle; a nilpotent matrix; matrices of one batch that are scaled differently.
  for (const double angle : {0.0, 0.1, 3.0, 100.0}) {
    const double c = std::cos(angle), s = std::sin(angle);
    expect_values(linalg::matrix_exp(from_vector<double>({0, -angle, angle, 0}, {2, 2})), {2, 2}, {c, -s, s, c}, 1e-11);
  }
  expect_values(linalg::matrix_exp(tensor({{0.0, 3.0}, {0.0, 0.0}})), {2, 2}, {1, 3, 0, 1}, 1e-6);
  const Tensor scales = from_vector<double>({0, 1e-9, 1, 20}, {4, 1, 1});
  const Tensor diagonal_matrices = scales * diag_embed(from_vector<double>({1, -1, 0.5}, {3}));
  expect_near(diagonal(linalg::matrix_exp(diagonal_matrices)) / exp(diagonal(diagonal_matrices)),
              ones({4, 3}, DType::f64), 1e-11);
  for (const double x : linalg::matrix_exp(tensor({{1.0, nan}, {0.0, 1.0}})).to_vector<double>())
    EXPECT_TRUE(std::isnan(x));
}

TEST(Decomposition, MatricesThatAreNotFiniteGiveNan) {
  for (const double bad : {nan, inf}) {
    const Tensor a = tensor({{1.0, 2.0}, {bad, 4.0}});
    const auto all_nan = [](const Tensor& x) {
      for (const double value : x.to_vector<double>()) EXPECT_TRUE(std::isnan(value));
    };
    all_nan(linalg::qr(a).q);
    all_nan(linalg::svd(a).s);
    all_nan(linalg::svdvals(a));
    all_nan(linalg::eigh(a).vectors);
    all_nan(linalg::eigvalsh(a));
    all_nan(linalg::pinv(a));
  }
  // Only the matrix of a batch that is not finite is affected.
  expect_values(linalg::svdvals(stack({full({1, 1}, nan), full({1, 1}, -3.0)})), {2, 1}, {nan, 3});
}

TEST(Decomposition, Gradients) {
  using Tensors = std::vector<Tensor>;
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 3, 3}}) {
    const Tensor a = random_numbers(shape) + 2 * eye(3, DType::f64), b = random_numbers(shape, 1);
    expect_gradient([](const Tensors& x) { return linalg::cholesky(positive(x[0])); }, {a});
    expect_gradient([](const Tensors& x) { return linalg::cholesky(x[0], true); }, {positive(a)});
    expect_gradient([](const Tensors& x) { return linalg::solve(x[0], x[1]); }, {a, b});
    expect_gradient([](const Tensors& x) { return linalg::inv(x[0]); }, {a});
    expect_gradient([](const Tensors& x) { return linalg::det(x[0]); }, {a});
    expect_gradient([](const Tensors& x) { return linalg::slogdet(x[0]).logabsdet; }, {a});
    expect_gradient([](const Tensors& x) { return linalg::eigh(x[0]).values; }, {a});
    expect_gradient([](const Tensors& x) { return linalg::eigvalsh(x[0]); }, {a});
    expect_gradient([](const Tensors& x) { return square(linalg::eigh(x[0]).vectors); }, {a});
    expect_gradient([](const Tensors& x) { return linalg::matrix_exp(x[0]); }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return linalg::matrix_power(x[0], 3); }, {a}, 1e-5);
    for (const bool upper : {false, true})
      for (const bool transposed : {false, true})
        expect_gradient(
            [&](const Tensors& x) {
              return linalg::solve_triangular(x[0], x[1], {.upper = upper, .transposed = transposed});
            },
            {a, b});
  }
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 2}, Shape{2, 2, 4}}) {
    const Tensor a = random_numbers(shape);
    expect_gradient([](const Tensors& x) { return linalg::lu(x[0]).l; }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return linalg::lu(x[0]).u; }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return linalg::qr(x[0]).q; }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return linalg::qr(x[0]).r; }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return linalg::svdvals(x[0]); }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return square(linalg::svd(x[0]).u); }, {a}, 1e-4);
    expect_gradient([](const Tensors& x) { return square(linalg::svd(x[0]).vh); }, {a}, 1e-4);
    expect_gradient([](const Tensors& x) { return linalg::pinv(x[0]); }, {a}, 1e-4);
    expect_gradient([](const Tensors& x) { return linalg::matrix_norm(x[0], linalg::MatrixNorm::nuc); }, {a}, 1e-5);
    expect_gradient([](const Tensors& x) { return diagonal(x[0], 1); }, {a});
  }
  const Tensor tall = random_numbers({5, 3}), side = random_numbers({5, 2}, 1);
  expect_gradient([](const Tensors& x) { return linalg::lstsq(x[0], x[1]); }, {tall, side}, 1e-5);
  // The determinant of a singular matrix of at most 3 rows has a gradient, too: its cofactors.
  expect_values(grad([](const Tensor& x) { return linalg::det(x); })(tensor({{1.0, 2.0}, {2.0, 4.0}})), {2, 2},
                {4, -2, -2, 1});
  expect_error(
      [&] { grad(sum(linalg::svd(tall, true).u), tall); },
      "svd: the gradient is not defined for square factors of matrices that are not square, got tensor<5x3xf64>");
}

TEST(Decomposition, SecondDerivatives) {
  const Tensor a = random_numbers({3, 3}) + 2 * eye(3, DType::f64);
  const auto expect_second = [&](const std::function<Tensor(const Tensor&)>& f) {
    expect_gradient([&](const std::vector<Tensor>& x) { return grad(sum(f(x[0])), x[0]); }, {a}, 1e-4);
  };
  expect_second([](const Tensor& x) { return linalg::inv(x); });
  expect_second([](const Tensor& x) { return linalg::slogdet(x).logabsdet; });
  expect_second([](const Tensor& x) { return linalg::cholesky(positive(x)); });
  expect_second([](const Tensor& x) { return square(linalg::qr(x).r); });
  expect_second([](const Tensor& x) { return square(linalg::eigh(x).values); });
  expect_second([](const Tensor& x) { return square(linalg::svdvals(x)); });
  expect_second([](const Tensor& x) { return linalg::matrix_exp(x); });
}

TEST(Decomposition, FunctionsOfFunctions) {
  const Tensor batch = random_numbers({4, 3, 3}) + 2 * eye(3, DType::f64), vectors = random_numbers({4, 3}, 1);
  const Tensor solved = vmap([](const Tensor& a, const Tensor& b) { return linalg::solve(a, b); })(batch, vectors);
  for (int i = 0; i < 4; ++i)
    expect_near(select(solved, 0, i), linalg::solve(select(batch, 0, i), select(vectors, 0, i)), 1e-14);
  const Tensor gradients = vmap(grad([](const Tensor& a) { return linalg::slogdet(a).logabsdet; }))(batch);
  expect_near(gradients, mt(linalg::inv(batch)), 1e-12);
  auto factors = compile([](const Tensor& a) { return vmap([](const Tensor& x) { return linalg::svd(x); })(a); });
  const auto [u, s, vh] = factors(batch);
  expect_near(matmul(u * unsqueeze(s, -2), vh), batch, 1e-12);
  expect_near(vmap([](const Tensor& a) { return linalg::matrix_exp(a); })(batch), linalg::matrix_exp(batch), 1e-12);
  const auto [value, tangent] =
      jvp([](const Tensor& a) { return linalg::inv(a); }, select(batch, 0, 0), select(batch, 0, 1));
  expect_near(tangent, -matmul(matmul(value, select(batch, 0, 1)), value), 1e-12);
}

TEST(Decomposition, DtypesAndChangingSizes) {
  EXPECT_EQ(linalg::inv(tensor({{1, 2}, {3, 4}})).dtype(), DType::f32);
  EXPECT_EQ(linalg::svd(ones({2, 2}, DType::bf16)).u.dtype(), DType::bf16);
  auto inverse = compile([](const Tensor& x) { return linalg::inv(x); });
  for (const std::int64_t n : {2, 3, 4, 7}) {
    const Tensor a = random_numbers({n, n}) + 2 * eye(n, DType::f64);
    expect_near(matmul(inverse(a), a), eye(n, DType::f64), 1e-12);
  }
  auto factor = compile([](const Tensor& x) { return linalg::qr(x).r; });
  for (const std::int64_t n : {5, 6, 7}) {
    const Tensor a = random_numbers({n, 3}), r = factor(a);
    expect_near(matmul(mt(r), r), matmul(mt(a), a), 1e-12);
  }
}

TEST(Decomposition, MistakesAreNamed) {
  expect_error([] { linalg::inv(ones({2, 3})); }, "linalg::inv: expected square matrices, got tensor<2x3xf32>");
  expect_error([] { linalg::qr(ones({3})); }, "linalg::qr: expected matrices, got tensor<3xf32>");
  expect_error([] { linalg::solve(ones({2, 2}), ones({3, 1})); },
               "linalg::solve: the matrix tensor<2x2xf32> has 2 rows, the right side tensor<3x1xf32> has 3");
  expect_error([] { linalg::solve(ones({2, 2, 2}), ones({3, 2, 1})); },
               "linalg::solve: the leading dimensions of tensor<2x2x2xf32> and tensor<3x2x1xf32> do not broadcast");
  expect_error([] { cross(ones({2}), ones({2})); }, "cross: dimension 0 must have 3 elements, got tensor<2xf32>");
  expect_error([] { diagonal(ones({2, 3}), 4); }, "diagonal: offset 4 is outside of tensor<2x3xf32>");
  expect_error([] { linalg::pinv(ones({2, 3}), -1.0); }, "linalg::pinv: rcond must not be negative, got -1");
}

TEST(Lapack, TellsWhatIsMissing) {
  EXPECT_THAT(lapack::load("libnothing.so").reason(),
              testing::HasSubstr("libnothing.so: cannot open shared object file"));
  EXPECT_THAT(lapack::load("libm.so.6").reason(), testing::MatchesRegex("libm.so.6 has no function [sd][a-z]+_"));
}

}  // namespace
}  // namespace weft
