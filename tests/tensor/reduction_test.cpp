#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using test::inf;
using test::nan;
const Tensor& shuffled() {
  static const Tensor x = from_vector<float>({1, 5, 3, 4, 2, 6}, {2, 3});
  return x;
}

TEST(Reduction, Sums) {
  expect_values(sum(shuffled()), {}, {21});
  expect_values(sum(shuffled(), 0), {3}, {5, 7, 9});
  expect_values(sum(shuffled(), -1, true), {2, 1}, {9, 12});
  expect_values(sum(shuffled(), {0, 1}, true), {1, 1}, {21});
  expect_values(prod(shuffled(), 1), {2}, {15, 48});
  expect_values(mean(shuffled(), 1), {2}, {3, 4});
  EXPECT_EQ(mean(tensor({1, 2})).dtype(), DType::f32);
  EXPECT_EQ(sum(shuffled() > 2).dtype(), DType::i64);
  expect_values(sum(shuffled() > 2), {}, {4});
  expect_values(sum(zeros({0, 2}), 0), {2}, {0, 0});
  expect_error([] { sum(shuffled(), {1, -1}); }, "sum: dimension 1 is given twice");
  expect_error([] { sum(shuffled(), 2); }, "sum: dimension 2 is out of range for rank 2");
}

TEST(Reduction, OfNarrowIntegersAreWide) {
  for (const DType dtype : {DType::u8, DType::i8, DType::i16, DType::u16, DType::i32, DType::u32, DType::i64}) {
    const Tensor x = full({300}, 100, dtype), twos = full({40}, 2, dtype);
    EXPECT_EQ(sum(x).dtype(), DType::i64);
    expect_values(sum(x), {}, {30'000});
    expect_values(cumsum(x)[-1], {}, {30'000});
    expect_values(prod(twos), {}, {std::pow(2, 40)});
  }
  EXPECT_EQ(sum(full({2}, 1, DType::u64)).dtype(), DType::u64);
  expect_values(sum(full({300}, true, DType::boolean)), {}, {300});
  expect_values(cumsum(full({300}, true, DType::boolean))[-1], {}, {300});
}

TEST(Reduction, Extremes) {
  expect_values(max(shuffled(), 0), {3}, {4, 5, 6});
  expect_values(min(shuffled()), {}, {1});
  expect_values(max(tensor({1.f, nan})), {}, {nan});
  expect_values(any(tensor({0, 2})), {}, {1});
  expect_values(all(tensor({0, 2})), {}, {0});
  expect_error([] { max(zeros({0})); }, "max: nothing to choose from in tensor<0xf32>");
}

TEST(Reduction, Moments) {
  expect_values(var(shuffled(), 1), {2}, {4, 4}, 1e-6);
  expect_values(var(shuffled(), 1, false, 0), {2}, {8.0 / 3, 8.0 / 3}, 1e-6);
  expect_values(stddev(shuffled(), 1, true), {2, 1}, {2, 2}, 1e-6);
  expect_values(norm(tensor({3.f, 4.f})), {}, {5}, 1e-6);
}

TEST(Reduction, MeansOfHalvesDoNotOverflow) {
  const Tensor x = full({1000}, 1000.0, DType::f16);
  expect_values(mean(x), {}, {1000});
  EXPECT_EQ(mean(x).dtype(), DType::f16);
}

TEST(Reduction, LogSumExp) {
  expect_values(logsumexp(tensor({1000.f, 1000.f})), {}, {1000 + std::log(2)}, 1e-4);
  expect_values(logsumexp(tensor({-inf, -inf}, DType::f32)), {}, {-inf});
  expect_values(logsumexp(tensor({{0.f, 0.f}, {1.f, 2.f}}), 1), {2}, {std::log(2), std::log(std::exp(1) + std::exp(2))},
                1e-6);
}

TEST(Reduction, Places) {
  EXPECT_EQ(argmax(shuffled()).dtype(), DType::i32);
  expect_values(argmax(shuffled()), {2}, {1, 2});
  expect_values(argmin(shuffled(), 0, true), {1, 3}, {0, 1, 0});
  expect_values(argmax(tensor({2, 7, 7})), {}, {1});
  expect_values(argmax(tensor({1.f, nan, 3.f})), {}, {1});
}

TEST(Reduction, Scans) {
  expect_values(cumsum(tensor({1, 2, 3, 4, 5})), {5}, {1, 3, 6, 10, 15});
  expect_values(cumsum(shuffled(), 0), {2, 3}, {1, 5, 3, 5, 7, 9});
}

TEST(Reduction, Orders) {
  expect_values(sort(shuffled()), {2, 3}, {1, 3, 5, 2, 4, 6});
  expect_values(sort(shuffled(), 0, true), {2, 3}, {4, 5, 6, 1, 2, 3});
  expect_values(argsort(shuffled()), {2, 3}, {0, 2, 1, 1, 0, 2});
  expect_values(argsort(tensor({3, 1, 3, 1})), {4}, {1, 3, 0, 2});
  expect_values(sort(tensor({nan, 1.f, -inf}, DType::f32)), {3}, {-inf, 1, nan});
  // As in PyTorch and JAX, zeros of both signs are equal, and so are all NaNs.
  const Tensor zeros_and_nans = tensor({0.f, nan, -0.f, -nan, 0.f, 1.f}, DType::f32);
  expect_values(argsort(zeros_and_nans), {6}, {0, 2, 4, 5, 1, 3});
  expect_values(argsort(zeros_and_nans, 0, true), {6}, {1, 3, 5, 0, 2, 4});
  expect_values(topk(tensor({-0.f, -nan, 0.f}, DType::f32), 3).indices, {3}, {1, 0, 2});
  const TopK best = topk(shuffled(), 2);
  expect_values(best.values, {2, 2}, {5, 3, 6, 4});
  expect_values(best.indices, {2, 2}, {1, 2, 2, 0});
  expect_error([] { topk(shuffled(), 4); }, "topk: k = 4 is out of range for tensor<2x3xf32>");
}

TEST(Reduction, Gradients) {
  const Tensor x = test::arbitrary({2, 3});
  const auto check = [&](auto f) {
    test::expect_gradient([&](const std::vector<Tensor>& in) { return f(in[0]); }, {x});
  };
  check([](const Tensor& a) { return sum(a * a, 0) + mean(a, 0) * max(a, 0); });
  check([](const Tensor& a) { return var(a, 1) + logsumexp(a, 1) + prod(a, 1) + norm(a, 1); });
  check([](const Tensor& a) { return cumsum(a, 1) * sort(a, 1) + min(a); });
}

}  // namespace
}  // namespace weft
