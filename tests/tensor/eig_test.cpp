#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// A matrix with two pairs of complex eigenvalues.
const Tensor& general() {
  static const Tensor a =
      from_vector<double>({1, 2, 0.5, -1, -3, 0.5, 1, 2, 0.25, -1, 2, 1.5, 1, 0.75, -2, -1}, {4, 4});
  return a;
}

Tensor squares(const Complex& z) { return z.real * z.real + z.imag * z.imag; }

// The loss does not depend on the phases of the vectors.
Tensor loss_of(const linalg::Eig& eig) {
  return sum(eig.values.real * arbitrary({4}, 1)) + sum(eig.values.imag * arbitrary({4}, 2)) +
         sum(squares(eig.vectors) * arbitrary({4, 4}, 3));
}

// The expected values are those of torch.linalg.eig.
TEST(Eig, GivesPyTorchsValuesAndGradients) {
  const auto [values, vectors] = linalg::eig(general());
  expect_values(values.real, {4}, {-0.107317482189, -0.107317482189, 1.35731748219, 1.35731748219}, 1e-10);
  expect_values(values.imag, {4}, {2.7893449636, -2.7893449636, 0.568667269553, -0.568667269553}, 1e-10);
  expect_values(squares(vectors), {4, 4},
                {0.319363368143, 0.319363368143, 0.053842891927, 0.053842891927, 0.364272566444, 0.364272566444,
                 0.263244386605, 0.263244386605, 0.133908815516, 0.133908815516, 0.296185779568, 0.296185779568,
                 0.182455249897, 0.182455249897, 0.386726941901, 0.386726941901},
                1e-10);
  expect_values(grad(loss_of({values, vectors}), general()), {4, 4},
                {0.115130829984, -0.32283630971, 0.704490682974, -0.473449535537, -0.165209951131, 0.378166395738,
                 -0.194888253898, 0.652290376114, 0.457639961126, 0.442512884415, -0.225295208345, 1.0535223634,
                 0.190038414444, 0.376686731254, -0.625627746856, 1.26652600805},
                1e-9);
  const Complex alone = linalg::eigvals(general());
  expect_values(alone.real, {4}, values.real.to_vector<double>(), 1e-12);
  expect_values(alone.imag, {4}, values.imag.to_vector<double>(), 1e-12);
  const Tensor loss = sum(alone.real * arbitrary({4}, 1)) + sum(alone.imag * arbitrary({4}, 2));
  expect_values(grad(loss, general()), {4, 4},
                {0.183009974153, 0.164499927567, 0.263383298392, -0.0460181199195, 0.0238572253409, 0.309582234894,
                 -0.160203533829, 0.383630247542, 0.532521983588, 0.122210507491, 0.161257277492, 0.567467066474,
                 0.445150804377, 0.438261250118, -0.445316236375, 0.880678538892},
                1e-9);
}

TEST(Eig, VectorsAndValuesFulfilTheirDefinition) {
  for (const DType dtype : {DType::f64, DType::f32}) {
    const double tolerance = dtype == DType::f64 ? 1e-12 : 1e-4;
    const Tensor real = tensor({{4.0, 1.0}, {2.0, 3.0}}, DType::f64);  // its eigenvalues are 2 and 5
    const Tensor batch =
        stack({general(), transpose(general()) * 2.0, arbitrary({4, 4}, 7), zeros({4, 4}, DType::f64)});
    for (const Tensor& a : {real.to(dtype), batch.to(dtype)}) {
      const auto [values, vectors] = linalg::eig(a);
      EXPECT_EQ(values.real.dtype(), dtype);
      const Complex off = matmul(complex(a, zeros_like(a)), vectors) -
                          vectors * Complex{unsqueeze(values.real, -2), unsqueeze(values.imag, -2)};
      expect_values(abs(off), a.shape(), Doubles(a.elements(), 0.), tolerance);
      const Tensor norms = sum(squares(vectors), -2);
      expect_values(norms, norms.shape(), Doubles(norms.elements(), 1.), tolerance);
    }
    const Complex values = linalg::eigvals(real.to(dtype));
    expect_values(sort(values.real), {2}, {2, 5}, tolerance);
    expect_values(values.imag, {2}, {0, 0});
  }
}

TEST(Eig, Gradients) {
  const Tensor batch = stack({general(), transpose(general()) * 0.5});
  const auto parts = [](const Complex& z) { return concatenate({z.real, z.imag}, -1); };
  expect_gradient([&](const auto& xs) { return parts(linalg::eigvals(xs[0])); }, {batch}, 1e-5);
  expect_gradient(
      [&](const auto& xs) {
        const auto [values, vectors] = linalg::eig(xs[0]);
        return concatenate({unsqueeze(values.real, -2), unsqueeze(values.imag, -2), squares(vectors)}, -2);
      },
      {batch}, 1e-5);
  // For symmetric matrices, they are those of eigh.
  const Tensor symmetric = tensor({{2.0, 1.0}, {1.0, -1.0}}, DType::f64);
  const Tensor expected = grad(sum(linalg::eigvalsh(symmetric) * linalg::eigvalsh(symmetric)), symmetric);
  const Tensor values = linalg::eigvals(symmetric).real;
  expect_values(grad(sum(values * values), symmetric), {2, 2}, expected.to_vector<double>(), 1e-12);
}

TEST(Eig, InCompiledFunctionsAndBatchesOfExamples) {
  const auto radius = [](const Tensor& a) { return max(abs(linalg::eigvals(a)), -1); };
  const Tensor batch = stack({general(), transpose(general()) * 2.0, arbitrary({4, 4}, 7)}), expected = radius(batch);
  expect_values(vmap(radius)(batch), {3}, expected.to_vector<double>(), 1e-12);
  auto run = compile(radius);
  expect_values(run(batch), {3}, expected.to_vector<double>(), 1e-12);
  expect_values(run(tensor({{4.0, 1.0}, {2.0, 3.0}}, DType::f64)), {}, {5}, 1e-12);
}

TEST(Eig, OfNothingAndOfNaN) {
  EXPECT_EQ(linalg::eig(ones({0, 3, 3})).vectors.real.shape(), Shape({0, 3, 3}));
  EXPECT_EQ(linalg::eigvals(ones({2, 0, 0})).imag.shape(), Shape({2, 0}));
  const Tensor bad = tensor({{1.0, test::nan}, {0.0, 1.0}}, DType::f64);
  expect_values(linalg::eigvals(bad).real, {2}, {test::nan, test::nan});
  expect_values(linalg::eig(stack({bad, eye(2, DType::f64)})).values.real, {2, 2}, {test::nan, test::nan, 1, 1});
  EXPECT_EQ(linalg::eig(ones({2, 2}, DType::i32)).values.real.dtype(), DType::f32);
}

TEST(Eig, Mistakes) {
  expect_error([] { linalg::eig(ones({2, 3})); }, "linalg::eig: expected square matrices, got tensor<2x3xf32>");
  const auto gradient = [](const Tensor& a) { return grad(sum(linalg::eigvals(a).real), a); };
  EXPECT_THROW(grad(sum(square(gradient(general()))), general()), Error);  // there are no second derivatives
}

}  // namespace
}  // namespace weft
