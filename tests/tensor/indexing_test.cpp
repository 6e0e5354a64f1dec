#include <weft/runtime/cpu/cpu_device.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_values;
using test::matrix;

TEST(Indexing, Take) {
  expect_values(take(matrix(), tensor({1, 0, 1})), {3, 3}, {3, 4, 5, 0, 1, 2, 3, 4, 5});
  expect_values(take(matrix(), tensor({{2, 0}}), 1), {2, 1, 2}, {2, 0, 5, 3});
  expect_values(take(matrix(), tensor(1), -1), {2}, {1, 4});
  expect_values(take(matrix(), tensor({9, -9})), {2, 3}, {3, 4, 5, 0, 1, 2});
  expect_values(embedding(matrix(), tensor({{1}, {0}})), {2, 1, 3}, {3, 4, 5, 0, 1, 2});
  expect_error([] { take(matrix(), tensor({0.f})); }, "take: indices must be integers, got tensor<1xf32>");
  expect_error([] { take(zeros({0}), tensor({0})); }, "take: nothing to take from tensor<0xf32>");
}

// The source is computed by the same program: by creation, by moving elements, or by arithmetic; smaller or larger than
// the result.
TEST(Indexing, TakeFromWhatTheSameProgramComputes) {
  const auto rows = [](const Tensor& from, std::int64_t count) {
    const std::vector<double> whole = from.to_vector<double>();
    const std::int64_t width = from.size(1);
    std::vector<int> places;
    Doubles expected;
    for (std::int64_t i = 0; i < count; ++i) {
      places.push_back(static_cast<int>(i * 7 % from.size(0)));
      for (std::int64_t j = 0; j < width; ++j) expected.push_back(whole[places.back() * width + j]);
    }
    return std::pair(from_vector(places, {count}), expected);
  };
  const std::vector<std::function<Tensor()>> sources = {
      [] { return ones({8, 4}) * 2; },
      [] { return convert(iota({8, 4}, 0), DType::f32) * 3; },
      [] { return transpose(from_vector(std::vector<float>(32, 1.5f), {4, 8})) * iota({8, 4}, 1); },
      [] { return transpose(arbitrary({4, 8})); },
      [] { return slice(arbitrary({16, 4}), 0, 3, 11); },
      [] { return flip(relu(arbitrary({8, 4})), 0); },
      [] { return exp(arbitrary({8, 4})) - 1; },
      [] { return arbitrary({8, 4}) * sum(arbitrary({8, 4}), 1, true); },
  };
  for (std::size_t k = 0; k < sources.size(); ++k) {
    SCOPED_TRACE(k);
    for (const std::int64_t count : {2, 50}) {
      const auto [places, expected] = rows(sources[k](), count);
      expect_values(take(sources[k](), places), {count, 4}, expected, 1e-6);
      const Tensor table = sources[k]();  // also used directly
      expect_values(
          take(table, places) + sum(table), {count, 4},
          [&] {
            Doubles moved = expected;
            for (double& x : moved) x += sum(sources[k]()).item();
            return moved;
          }(),
          1e-4);
    }
    const std::vector<Tensor> starts = {tensor(2), tensor(1)};
    expect_values(dynamic_slice(sources[k](), starts, {3, 2}), {3, 2},
                  slice(slice(sources[k](), 0, 2, 5), 1, 1, 3).to_vector<double>(), 1e-6);
  }
}

TEST(Indexing, Gather) {
  expect_values(gather(matrix(), 1, tensor({{2}, {0}})), {2, 1}, {2, 3});
  expect_values(gather(matrix(), 0, tensor({{1, 0, 1}})), {1, 3}, {3, 1, 5});
  expect_error([] { gather(matrix(), 1, tensor({{2}})); },
               "gather: the indices tensor<1x1xi32> do not fit dimension 1 of tensor<2x3xf32>");
  EXPECT_EQ(gather(ones({0, 3}), 1, ones({0, 2}, DType::i32)).shape(), Shape({0, 2}));
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

TEST(Indexing, UpdatesOfRowsByHandCopyNoTable) {
  runtime::CpuDevice fresh;
  const test::OnDevice use(fresh);
  Parameter table{zeros({1 << 16, 64})};
  sync();
  const Tensor rows = tensor({1, 5, 1}), change = ones({3, 64});
  for (const bool stops_before : {true, false}) {
    const Tensor before = sum(table);
    table = stops_before ? index_add(stop_gradient(table), 0, rows, change)
                         : stop_gradient(index_add(table, 0, rows, change));
    sync();
  }
  expect_values(sum(table), {}, {2 * 3 * 64});
  EXPECT_LT(fresh.stats().peak_bytes_in_use, 2u * table.type().bytes()) << "the table is updated in place";
}

TEST(Scatter, ReplacesAndCombines) {
  const Tensor x = tensor({{1.0, 5.0}, {2.0, 6.0}, {3.0, 7.0}});
  const Tensor at = tensor({{2, 0}, {2, 9}}), updates = tensor({{10.0, -1.0}, {20.0, 30.0}});
  expect_values(scatter(x, 0, at, updates), {3, 2}, {1, -1, 2, 6, 20, 7});  // the last one wins, 9 is out of range
  expect_values(scatter_reduce(x, 0, at, updates, Combine::sum), {3, 2}, {1, 4, 2, 6, 33, 7});
  expect_values(scatter_reduce(x, 0, at, updates, Combine::product), {3, 2}, {1, -5, 2, 6, 600, 7});
  expect_values(scatter_reduce(x, 0, at, updates, Combine::max), {3, 2}, {1, 5, 2, 6, 20, 7});
  expect_values(scatter_reduce(x, 0, at, updates, Combine::min), {3, 2}, {1, -1, 2, 6, 3, 7});
  expect_values(index_copy(x, 0, tensor({2, 0}), updates), {3, 2}, {20, 30, 2, 6, 10, -1});
  expect_values(index_reduce(x, 1, tensor({1, 1}), ones({3, 2}) * 6.0, Combine::max), {3, 2}, {1, 6, 2, 6, 3, 7});
  expect_error([&] { scatter(x, 0, at, ones({2, 1})); },
               "scatter: the updates tensor<2x1xf32> do not have the shape of the indices tensor<2x2xi32>");
}

TEST(Scatter, Gradients) {
  const Tensor x = test::arbitrary({4, 2}), updates = test::arbitrary({3, 2}, 1), at = tensor({{2, 0}, {2, 9}, {1, 0}});
  using Tensors = std::vector<Tensor>;
  test::expect_gradient([&](const Tensors& v) { return scatter(v[0], 0, at, v[1]); }, {x, updates});
  test::expect_gradient([&](const Tensors& v) { return scatter_reduce(v[0], 0, at, v[1], Combine::max); },
                        {x, updates});
  test::expect_gradient([&](const Tensors& v) { return scatter_reduce(v[0], 0, at, v[1], Combine::min); },
                        {x, updates});
  test::expect_gradient([&](const Tensors& v) { return index_copy(v[0], 0, tensor({1, 1, 5}), v[1]); }, {x, updates});
  // Ties share the gradient, as those of max do.
  const Tensor two = tensor({0.0, -1.0});
  expect_values(grad(sum(scatter_reduce(zeros({1}), 0, tensor({0, 0}), two, Combine::max)), two), {2}, {0.5, 0});
}

// The derivative by a factor is the product of the others, also where one factor of an element is zero, or several. The first line of
// numbers is that of torch.Tensor.scatter_reduce.
TEST(Scatter, GradientsOfProductsWithZeros) {
  const Tensor x = tensor({2., 3., 0., 5., 7.}, DType::f64);
  const Tensor updates = tensor({2., 0., -3., 0., 0., 4., 6., 0.}, DType::f64), at = tensor({0, 0, 0, 1, 1, 2, 3, 2});
  const auto product = [&](const std::vector<Tensor>& v) {
    return scatter_reduce(v[0], 0, at, v[1], Combine::product);
  };
  const auto gradients = [&](const std::vector<Tensor>& v) {
    const Tensor y = product(v);
    return grad(sum(y * test::arbitrary(y.shape(), 99)), v);
  };
  const auto got = gradients({x, updates});
  expect_values(got[0], {5}, {-0, 0, 0, 3.92727870735, 0.286098990187}, 1e-11);
  expect_values(got[1], {8}, {-0, -10.990692169, 0, 0, 0, 0, 3.27273225613, 0}, 1e-11);
  test::expect_gradient(product, {x, updates}, 1e-5);
  // Differences of gradients show that the second derivatives are right, too.
  test::expect_gradient([&](const auto& v) { return concatenate(gradients(v)); }, {x + 0.5, updates + 0.25}, 1e-4);
  const Tensor second = weft::hessian([&](const Tensor& v) { return sum(product({x, v})); })(updates);
  Doubles expected(64, 0.);
  const auto mixed = [&](std::size_t i, std::size_t j, double value) {
    expected[8 * i + j] = expected[8 * j + i] = value;
  };
  mixed(0, 1, 2 * -3);  // 2 u0 u1 u2
  mixed(1, 2, 2 * 2);
  mixed(3, 4, 3);  // 3 u3 u4; the element 0 u5 u7 has no second derivative by its updates
  expect_values(second, {8, 8}, expected, 1e-12);
}

TEST(Scatter, GradientsOfProductsInOtherForms) {
  const Tensor x = test::arbitrary({4, 3}), updates = test::arbitrary({3, 3}, 1), at = tensor({2, 2, 9});
  const auto by_rows = [&](const auto& v) { return index_reduce(v[0], 0, at, v[1], Combine::product); };
  test::expect_gradient(by_rows, {x, updates});
  test::expect_gradient([&](const auto& v) { return segment_prod(v[0], tensor({1, 1, 5, 0}), 3); }, {x});
  const Tensor values = tensor({2.f, 0.f, 5.f, 0.f, 0.f, 3.f});
  expect_values(grad(sum(segment_prod(values, tensor({0, 0, 0, 1, 1, 2}), 4)), values), {6}, {0, 10, 0, 0, 0, 1});
}

}  // namespace
}  // namespace weft
