#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_error;
using test::expect_values;

Tensor counting(const Shape& shape, int first = 1) {
  return reshape(arange(first, first + Type(DType::f32, shape).elements(), 1, DType::f32), shape);
}

TEST(Linalg, MatmulOfMatrices) {
  expect_values(matmul(counting({2, 3}), counting({3, 2})), {2, 2}, {22, 28, 49, 64});
  EXPECT_EQ(matmul(ones({2, 3}), ones({3, 2}, DType::f64)).dtype(), DType::f64);
}

TEST(Linalg, MatmulOfVectors) {
  const Tensor v = counting({3});
  expect_values(matmul(v, v), {}, {14});
  expect_values(matmul(counting({2, 3}), v), {2}, {14, 32});
  expect_values(matmul(v, counting({3, 2})), {2}, {22, 28});
  expect_values(matmul(counting({2, 1, 3}), v), {2, 1}, {14, 32});
  expect_values(matmul(v, counting({2, 3, 1})), {2, 1}, {14, 32});
}

TEST(Linalg, MatmulBroadcastsLeadingDimensions) {
  const Tensor a = counting({2, 2, 2}), b = counting({2, 2});
  expect_values(matmul(a, b), {2, 2, 2}, {7, 10, 15, 22, 23, 34, 31, 46});
  expect_values(matmul(b, a), {2, 2, 2}, {7, 10, 15, 22, 19, 22, 43, 50});
  expect_values(matmul(reshape(a, {2, 1, 2, 2}), reshape(a, {1, 2, 2, 2})), {2, 2, 2, 2},
                {7, 10, 15, 22, 19, 22, 43, 50, 23, 34, 31, 46, 67, 78, 91, 106});
}

// The library repeats a matrix along the batch instead of reading copies; transposed ones, too.
TEST(Linalg, MatmulRepeatsMatrices) {
  const Tensor a = arbitrary({2, 3, 17, 9}), keys = arbitrary({2, 1, 9, 20}, 1), turned = arbitrary({1, 3, 20, 9}, 2);
  const auto copied = [](const Tensor& x, const Shape& shape) {
    return from_vector(broadcast_to(x, shape).to_vector<double>(), shape);
  };
  for (const DType dtype : {DType::f32, DType::f64}) {
    const auto expect_equal = [&](const Tensor& x, const Tensor& y) {
      expect_values(x, y.shape(), y.to_vector<double>(), dtype == DType::f64 ? 1e-14 : 1e-5);
    };
    const Tensor left = a.to(dtype);
    expect_equal(matmul(left, keys.to(dtype)), matmul(left, copied(keys, {2, 3, 9, 20}).to(dtype)));
    expect_equal(matmul(left, transpose(turned.to(dtype))),
                 matmul(left, transpose(copied(turned, {2, 3, 20, 9}).to(dtype))));
    expect_equal(matmul(transpose(keys.to(dtype)), transpose(left)),
                 matmul(transpose(copied(keys, {2, 3, 9, 20}).to(dtype)), transpose(left)));
  }
}

TEST(Linalg, MatmulErrors) {
  expect_error(
      [] { matmul(ones({2, 3}), ones({4, 5})); },
      "matmul: cannot multiply tensor<2x3xf32> and tensor<4x5xf32>: the first has 3 columns, the second 4 rows");
  expect_error(
      [] { matmul(ones({2, 1, 3}), ones({3, 3, 1})); },
      "matmul: cannot multiply tensor<2x1x3xf32> and tensor<3x3x1xf32>: the leading dimensions do not broadcast");
  expect_error([] { matmul(1, ones({3})); },
               "matmul: cannot multiply tensor<f32> and tensor<3xf32>: expected rank 1 or more");
}

TEST(Linalg, Products) {
  expect_values(dot(counting({3}), counting({3})), {}, {14});
  expect_values(outer(counting({2}), counting({3})), {2, 3}, {1, 2, 3, 2, 4, 6});
  expect_values(linear(counting({1, 2}), counting({3, 2})), {1, 3}, {5, 11, 17});
  expect_values(linear(counting({2, 1, 2}), counting({3, 2}), counting({3})), {2, 1, 3}, {6, 13, 20, 12, 27, 42});
  expect_error([] { linear(ones({2, 3}), ones({3, 2})); },
               "linear: cannot apply the weight tensor<3x2xf32> to tensor<2x3xf32>");
  expect_error([] { linear(ones({2, 3}), ones({4, 3}), ones({3})); },
               "linear: the bias tensor<3xf32> does not fit the weight tensor<4x3xf32>");
}

TEST(Linalg, EinsumWithEllipsesAndDiagonals) {
  const Tensor square = counting({3, 3}), batch = counting({2, 3, 3});
  expect_values(einsum("ii->i", {square}), {3}, {1, 5, 9});
  expect_values(einsum("ii", {square}), {}, {15});
  expect_values(einsum("...ii->...i", {batch}), {2, 3}, {1, 5, 9, 10, 14, 18});
  expect_values(einsum("iji,j->i", {counting({2, 3, 2}), ones({3})}), {2}, {1 + 3 + 5, 8 + 10 + 12});
  expect_values(einsum("iii->", {counting({2, 2, 2})}), {}, {1 + 8});
  expect_values(grad(sum(einsum("ii->i", {square}) * tensor({1.f, 2.f, 3.f})), square), {3, 3},
                {1, 0, 0, 0, 2, 0, 0, 0, 3});
  const Tensor a = counting({4, 1, 2, 3}), b = counting({5, 3, 2});
  const auto matched = [](const Tensor& x, const Tensor& y) {
    expect_values(x, y.shape(), y.to_vector<double>(), 1e-4);
  };
  matched(einsum("...ij,...jk->...ik", {a, b}), matmul(a, b));
  matched(einsum("...ij,...jk", {a, b}), matmul(a, b));
  matched(einsum("...ij,jk->...ki", {a, b[0]}), transpose(matmul(a, b[0])));
  matched(einsum("i...->...i", {b}), permute(b, {1, 2, 0}));
  matched(einsum("...,...", {b, b}), b * b);
  matched(einsum("...i->...", {b}), sum(b, -1));
  expect_error([&] { einsum("...i,...i->...", {b, counting({4, 3, 2})}); },
               "einsum: a dimension of the ellipses in '...i,...i->...' is 5 and 4");
}

TEST(Linalg, Einsum) {
  const Tensor a = counting({2, 3}), b = counting({3, 2});
  expect_values(einsum("ij,jk->ik", {a, b}), {2, 2}, {22, 28, 49, 64});
  expect_values(einsum("ij,jk", {a, b}), {2, 2}, {22, 28, 49, 64});
  expect_values(einsum("ij->ji", {a}), {3, 2}, {1, 4, 2, 5, 3, 6});
  expect_values(einsum("ij->j", {a}), {3}, {5, 7, 9});
  expect_values(einsum("ij,ij->i", {a, a}), {2}, {14, 77});
  expect_values(einsum("ij,kl->ik", {a, b}), {2, 3}, {18, 42, 66, 45, 105, 165});
  expect_values(einsum("bij,bjk->bik", {counting({2, 1, 2}), counting({2, 2, 1})}), {2, 1, 1}, {5, 25});
  expect_values(einsum("i,ij,j->", {counting({2}), a, counting({3})}), {}, {78});
  expect_error([&] { einsum("ij,jk->ik", {a, a}); }, "einsum: 'j' in 'ij,jk->ik' is 3 and 2");
  expect_error([&] { einsum("ii->i", {a}); }, "einsum: 'i' in 'ii->i' is 2 and 3");
  expect_error([&] { einsum("...i...->i", {a}); }, "einsum: one operand of '...i...->i' has two ellipses");
  expect_error([&] { einsum("...i->i", {a}); }, "einsum: the result of '...i->i' lacks the ellipsis");
  expect_error([&] { einsum("...ijk->...i", {a}); },
               "einsum: '...ijk' does not name the dimensions of tensor<2x3xf32>");
  expect_error([&] { einsum("ijk->i", {a}); }, "einsum: 'ijk' does not name the dimensions of tensor<2x3xf32>");
  expect_error([&] { einsum("ij->k", {a}); }, "einsum: the result of 'ij->k' cannot have 'k'");
}

TEST(Linalg, Convolution) {
  const Tensor x = counting({1, 1, 3, 3}), edge = tensor({{1.f, 0.f}, {0.f, -1.f}});
  const Tensor weight = reshape(edge, {1, 1, 2, 2});
  expect_values(conv2d(x, weight), {1, 1, 2, 2}, {-4, -4, -4, -4});
  expect_values(conv2d(x, weight, tensor({10.f})), {1, 1, 2, 2}, {6, 6, 6, 6});
  expect_values(conv2d(x, weight, {.stride = 2, .padding = 1}), {1, 1, 2, 2}, {-1, -3, -7, -4});
  expect_values(conv2d(x, weight, {.dilation = 2}), {1, 1, 1, 1}, {-8});
  const Tensor two = concatenate({x, x * 2}, 1), depthwise = concatenate({weight, weight}, 0);
  expect_values(conv2d(two, depthwise, {.groups = 2}), {1, 2, 2, 2}, {-4, -4, -4, -4, -8, -8, -8, -8});
  expect_error([&] { conv2d(two, weight); },
               "conv2d: the weight tensor<1x1x2x2xf32> does not fit tensor<1x2x3x3xf32> in 1 groups");
}

TEST(Linalg, Pooling) {
  const Tensor x = counting({1, 1, 4, 4});
  expect_values(max_pool2d(x, 2), {1, 1, 2, 2}, {6, 8, 14, 16});
  expect_values(avg_pool2d(x, 2), {1, 1, 2, 2}, {3.5, 5.5, 11.5, 13.5});
  expect_values(max_pool2d(-x, 2, {.padding = 1}), {1, 1, 3, 3}, {-1, -2, -4, -5, -6, -8, -13, -14, -16});
  expect_values(avg_pool2d(x, {1, 4}, {.stride = {2, 4}}), {1, 1, 2, 1}, {2.5, 10.5});
}

TEST(Linalg, Gradients) {
  const auto check = [](auto f, const Shape& a, const Shape& b) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0], in[1]); },
                          {test::arbitrary(a), test::arbitrary(b, 1)});
  };
  const auto product = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
  check(product, {2, 3}, {3, 2});
  check(product, {2, 2, 3}, {3, 2});
  check(product, {1, 2, 3}, {2, 3, 1});
  check(product, {3}, {3, 2});
  check([](const Tensor& a, const Tensor& b) { return linear(a, b); }, {2, 3}, {4, 3});
  check([](const Tensor& a, const Tensor& b) { return einsum("bij,jk->bki", {a, b}); }, {2, 2, 3}, {3, 2});
  check([](const Tensor& a, const Tensor& b) { return conv2d(a, b, {.stride = 2, .padding = 1}); }, {1, 2, 4, 3},
        {2, 2, 3, 2});
  check([](const Tensor& a,
           const Tensor& b) { return max_pool2d(a, 2) + avg_pool2d(b, 2, {.stride = 1, .padding = {0, 1}}); },
        {1, 1, 4, 6}, {1, 1, 3, 2});
}

}  // namespace
}  // namespace weft
