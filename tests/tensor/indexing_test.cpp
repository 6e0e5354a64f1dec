#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;

const Tensor& matrix() {
  static const Tensor x = from_vector<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  return x;
}

TEST(Indexing, Take) {
  expect_values(take(matrix(), tensor({1, 0, 1})), {3, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5});
  expect_values(take(matrix(), tensor({{2, 0}}), 1), {2, 1, 2}, {2, 0, 5, 3});
  expect_values(take(matrix(), tensor(1), -1), {2}, {1, 4});
  expect_values(take(matrix(), tensor({9, -9})), {2, 3}, {3, 4, 5, 0, 1, 2});
  expect_values(embedding(matrix(), tensor({{1}, {0}})), {2, 1, 3}, {3, 4, 5, 0, 1, 2});
  expect_error([] { take(matrix(), tensor({0.f})); }, "take: indices must be integers, got tensor<1xf32>");
  expect_error([] { take(zeros({0}), tensor({0})); }, "take: nothing to take from tensor<0xf32>");
}

TEST(Indexing, Gather) {
  expect_values(gather(matrix(), 1, tensor({{2}, {0}})), {2, 1}, {2, 3});
  expect_values(gather(matrix(), 0, tensor({{1, 0, 1}})), {1, 3}, {3, 1, 5});
  expect_error([] { gather(matrix(), 1, tensor({{2}})); },
               "gather: the indices tensor<1x1xi32> do not fit dimension 1 of tensor<2x3xf32>");
}

TEST(Indexing, Scatter) {
  expect_values(scatter_add(matrix(), 1, tensor({{0, 0}, {2, 5}}), ones({2, 2})), {2, 3}, {2, 1, 2, 3, 4, 6});
  expect_values(index_add(matrix(), 0, tensor({1, 1}), ones({2, 3})), {2, 3}, {0, 1, 2, 5, 6, 7});
  expect_values(index_add(matrix(), 1, tensor({2}), ones({2, 1})), {2, 3}, {0, 1, 3, 3, 4, 6});
  expect_error([] { index_add(matrix(), 0, tensor({1}), ones({2, 3})); },
               "index_add: expected updates of shape [1, 3], got tensor<2x3xf32>");
}

TEST(Indexing, OneHot) {
  expect_values(one_hot(tensor({1, 3, 0}), 3), {3, 3}, {0, 1, 0, 0, 0, 0, 1, 0, 0});
  EXPECT_EQ(one_hot(tensor({{1}}), 2, DType::boolean).type(), Type(DType::boolean, {1, 1, 2}));
}

TEST(Indexing, Gradients) {
  const Tensor x = test::arbitrary({3, 2}), y = test::arbitrary({2, 2}, 1);
  const auto check = [&](auto f) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0], in[1]); }, {x, y});
  };
  check([](const Tensor& a, const Tensor& b) { return embedding(a, tensor({2, 0, 2})) + take(b, tensor({1, 1, 0})); });
  check([](const Tensor& a, const Tensor& b) { return gather(a, 0, tensor({{2, 0}, {2, 1}})) * b; });
  check([](const Tensor& a, const Tensor& b) { return scatter_add(a, 0, tensor({{2, 0}, {2, 1}}), b) * a; });
  check([](const Tensor& a, const Tensor& b) { return index_add(a, 0, tensor({2, 2}), b) * a; });
}

}  // namespace
}  // namespace weft
