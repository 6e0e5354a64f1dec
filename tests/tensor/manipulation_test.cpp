#include <limits>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using test::matrix;

TEST(Manipulation, Reshape) {
  expect_values(reshape(matrix(), {3, 2}), {3, 2}, {0, 1, 2, 3, 4, 5});
  expect_values(reshape(matrix(), {-1}), {6}, {0, 1, 2, 3, 4, 5});
  expect_values(reshape(matrix(), {3, -1, 1}), {3, 2, 1}, {0, 1, 2, 3, 4, 5});
  expect_values(flatten(reshape(matrix(), {1, 2, 3}), 1), {1, 6}, {0, 1, 2, 3, 4, 5});
  expect_values(squeeze(reshape(matrix(), {1, 6, 1})), {6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(squeeze(ones({1, 2, 1}), -1).shape(), (Shape{1, 2}));
  EXPECT_EQ(unsqueeze(matrix(), -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(unsqueeze(matrix(), 0).shape(), (Shape{1, 2, 3}));
  expect_error([] { reshape(matrix(), {4, -1}); }, "reshape: cannot reshape tensor<2x3xf32> to [4, -1]");
  expect_error([] { reshape(matrix(), {4}); },
               "reshape: cannot reshape tensor<2x3xf32> to [4]: the number of elements differs");
  expect_error([] { reshape(matrix(), {-1, -1}); }, "reshape: only one size can be -1, got [-1, -1]");
  expect_error([] { squeeze(matrix(), 1); }, "squeeze: dimension 1 of tensor<2x3xf32> is not 1");
  expect_error([] { zeros({-2}); }, "a size cannot be negative, got -2");
  expect_error([] { zeros({-1}); }, "zeros: a size cannot be negative, got [-1]");
}

TEST(Manipulation, Transpose) {
  expect_values(transpose(matrix()), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_values(permute(reshape(matrix(), {1, 2, 3}), {2, 0, -2}), {3, 1, 2}, {0, 3, 1, 4, 2, 5});
  expect_error([] { permute(matrix(), {0, 0}); }, "permute: dimension 0 is given twice");
  expect_error([] { transpose(matrix(), 0, 2); }, "transpose: dimension 2 is out of range for rank 2");
}

TEST(Manipulation, Broadcast) {
  expect_values(broadcast_to(tensor({1.f, 2.f}), {2, 2}), {2, 2}, {1, 2, 1, 2});
  expect_error([] { broadcast_to(ones({2}), {3}); }, "broadcast_to: cannot broadcast tensor<2xf32> to [3]");
  expect_error([] { broadcast_to(ones({2, 1}), {2}); }, "broadcast_to: cannot broadcast tensor<2x1xf32> to [2]");
}

TEST(Manipulation, Parts) {
  expect_values(matrix()[1], {3}, {3, 4, 5});
  expect_values(matrix()[-2][-1], {}, {2});
  expect_values(slice(matrix(), 1, 1), {2, 2}, {1, 2, 4, 5});
  expect_values(slice(matrix(), 1, -2, -1), {2, 1}, {1, 4});
  expect_values(slice(matrix(), 1, 0, 99, 2), {2, 2}, {0, 2, 3, 5});
  expect_values(slice(matrix(), 1, 2, 1), {2, 0}, {});
  expect_values(narrow(matrix(), 1, 1, 2), {2, 2}, {1, 2, 4, 5});
  expect_values(select(matrix(), 1, 0), {2}, {0, 3});
  expect_values(index(matrix(), {1, Slice{.start = 1}}), {2}, {4, 5});
  expect_values(index(matrix(), {Slice{}, 2}), {2}, {2, 5});
  expect_error([] { matrix()[2]; }, "select: index 2 is out of range for dimension 0 of tensor<2x3xf32>");
  expect_error([] { narrow(matrix(), 1, 2, 2); }, "narrow: [2, 2 + 2) is not inside dimension 1 of tensor<2x3xf32>");
  expect_error([] { slice(matrix(), 0, 0, 2, -1); }, "slice: a step must be positive, got -1; flip reverses");
}

TEST(Manipulation, DynamicParts) {
  const std::vector<Tensor> at{tensor(0), tensor(1)}, beyond{tensor(5), tensor(5)};
  expect_values(dynamic_slice(matrix(), at, {2, 2}), {2, 2}, {1, 2, 4, 5});
  expect_values(dynamic_slice(matrix(), beyond, {1, 2}), {1, 2}, {4, 5});
  expect_values(dynamic_update_slice(matrix(), tensor({{9.f, 8.f}}), at), {2, 3}, {0, 9, 8, 3, 4, 5});
}

TEST(Manipulation, StartsOfSeveralDtypes) {
  const std::vector<Tensor> narrow{tensor(1, DType::u8), tensor(0, DType::i64)},
      wide{from_vector<std::uint64_t>({std::numeric_limits<std::uint64_t>::max()}, {}), tensor(-1, DType::i8)};
  expect_values(dynamic_slice(matrix(), narrow, {1, 2}), {1, 2}, {3, 4});
  expect_values(dynamic_slice(matrix(), wide, {1, 2}), {1, 2}, {3, 4});
  expect_values(dynamic_update_slice(matrix(), zeros({1, 2}), wide), {2, 3}, {0, 1, 2, 0, 0, 5});
}

TEST(Manipulation, Joins) {
  expect_values(concatenate({matrix(), ones({1, 3})}), {3, 3}, {0, 1, 2, 3, 4, 5, 1, 1, 1});
  expect_values(concatenate({matrix(), ones({2, 1}, DType::i32)}, -1), {2, 4}, {0, 1, 2, 1, 3, 4, 5, 1});
  expect_values(stack({matrix()[0], matrix()[1]}, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_error([] { concatenate({ones({2, 3}), ones({2, 2})}); },
               "concatenate: cannot join tensor<2x3xf32> and tensor<2x2xf32> along dimension 0");
  expect_error([] { stack({ones({2}), ones({3})}); }, "stack: cannot stack tensor<2xf32> and tensor<3xf32>");
}

TEST(Manipulation, Splits) {
  const auto pieces = split(matrix(), 2, 1);
  ASSERT_EQ(pieces.size(), 2u);
  expect_values(pieces[0], {2, 2}, {0, 1, 3, 4});
  expect_values(pieces[1], {2, 1}, {2, 5});
  expect_values(split(matrix(), {1, 2}, 1)[1], {2, 2}, {1, 2, 4, 5});
  expect_values(chunk(matrix(), 3, -1)[2], {2, 1}, {2, 5});
  expect_error([] { chunk(matrix(), 2, 1); }, "chunk: cannot cut dimension 1 of tensor<2x3xf32> into 2 equal pieces");
}

TEST(Manipulation, Others) {
  expect_values(flip(matrix(), {0, 1}), {2, 3}, {5, 4, 3, 2, 1, 0});
  expect_values(pad(matrix(), {{1, 0}}, 9), {2, 4}, {9, 0, 1, 2, 9, 3, 4, 5});
  expect_values(pad(matrix(), {{0, 1}, {-1, 0}}), {3, 2}, {1, 2, 4, 5, 0, 0});
  expect_values(repeat(tensor({1, 2}), 2, 0), {4}, {1, 1, 2, 2});
  expect_values(tile(tensor({1, 2}), 2, 0), {4}, {1, 2, 1, 2});
  expect_values(roll(tensor({1, 2, 3, 4}), 1, 0), {4}, {4, 1, 2, 3});
  expect_values(roll(tensor({1, 2, 3, 4}), -5, 0), {4}, {2, 3, 4, 1});
  expect_values(tril(ones({2, 3})), {2, 3}, {1, 0, 0, 1, 1, 0});
  expect_values(triu(ones({2, 3}), 1), {2, 3}, {0, 1, 1, 0, 0, 1});
  expect_values(causal_mask(2, 3), {2, 3}, {1, 1, 0, 1, 1, 1});
}

TEST(Manipulation, Gradients) {
  const Tensor x = test::arbitrary({2, 3}), y = test::arbitrary({2, 3}, 5);
  const auto check = [&](auto f) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0], in[1]); }, {x, y});
  };
  check([](const Tensor& a, const Tensor& b) { return concatenate({transpose(a), transpose(b)}, 1); });
  check([](const Tensor& a, const Tensor& b) { return stack({a[0], flip(b, 1)[1]}) * slice(a, 0, 0, 2); });
  check([](const Tensor& a, const Tensor& b) { return pad(a, {{1, 1}}) * broadcast_to(slice(b, 0, 1), {2, 3})[0][1]; });
  check([](const Tensor& a, const Tensor& b) { return tril(a) * roll(b, 1, 1) + repeat(slice(a, 1, 0, 1), 3, 1); });
}

}  // namespace
}  // namespace weft
