// Finding, counting and grouping of elements.
#include <algorithm>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

using test::nan;

TEST(Nonzero, GivesIndicesInOrder) {
  const Tensor x = tensor({{0.0, 2.0, 0.0}, {-1.0, 0.0, nan}});
  const Nonzero exact = nonzero(x, 3), more = nonzero(x, 5), fewer = nonzero(x, 2), none = nonzero(zeros({2, 2}), 1);
  expect_values(exact.indices, {3, 2}, {0, 1, 1, 0, 1, 2});
  expect_values(exact.count, {}, {3});
  expect_values(more.indices, {5, 2}, {0, 1, 1, 0, 1, 2, -1, -1, -1, -1});
  expect_values(more.count, {}, {3});
  expect_values(fewer.indices, {2, 2}, {0, 1, 1, 0});
  expect_values(fewer.count, {}, {2});
  expect_values(none.indices, {1, 2}, {-1, -1});
  expect_values(nonzero(zeros({0, 3}), 2).indices, {2, 2}, {-1, -1, -1, -1});
  expect_values(nonzero(tensor(5.f), 1).count, {}, {1});
}

TEST(MaskedSelect, TakesWhatTheMaskMarks) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}});
  expect_values(masked_select(x, x > 1.5, 3), {3}, {2, 3, 4});
  expect_values(masked_select(x, x > 2.5, 3, -1), {3}, {3, 4, -1});
  expect_values(grad(sum(masked_select(x, x > 2.5, 3)), x), {2, 2}, {0, 0, 1, 1});
  expect_error([&] { masked_select(x, zeros({3}) > 0.0, 3); },
               "masked_select: the mask tensor<3xi1> does not have the shape of tensor<2x2xf32>");
}

TEST(Unique, ValuesInverseAndCounts) {
  const Tensor x = tensor({{3, 1, 3}, {2, 1, 3}});
  const Unique exact = unique(x, 3), more = unique(x, 5), fewer = unique(x, 2);
  expect_values(exact.values, {3}, {1, 2, 3});
  expect_values(exact.inverse, {2, 3}, {2, 0, 2, 1, 0, 2});
  expect_values(exact.counts, {3}, {2, 1, 3});
  expect_values(exact.count, {}, {3});
  expect_values(more.values, {5}, {1, 2, 3, 1, 1});
  expect_values(more.counts, {5}, {2, 1, 3, 0, 0});
  expect_values(fewer.values, {2}, {1, 2});
  expect_values(fewer.count, {}, {3});
  expect_values(take(exact.values, exact.inverse), {2, 3}, {3, 1, 3, 2, 1, 3});
}

TEST(Searchsorted, EqualsTheStandardLibrary) {
  for (int n = 0; n < 9; ++n) {
    std::vector<double> sorted;
    for (int i = 0; i < n; ++i) sorted.push_back(i / 2);  // with equal elements
    const std::vector<double> wanted{-1, 0, 0.5, 1, 2, 3, 3.5, 100};
    Doubles lower, upper;
    for (const double value : wanted) {
      lower.push_back(static_cast<double>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
      upper.push_back(static_cast<double>(std::ranges::upper_bound(sorted, value) - sorted.begin()));
    }
    const Tensor s = from_vector(sorted, {n}), v = from_vector(wanted, {2, 4});
    expect_values(searchsorted(s, v), {2, 4}, lower);
    expect_values(searchsorted(s, v, true), {2, 4}, upper);
  }
  expect_values(searchsorted(tensor({1.0, 2.0, 3.0}), 2.5), {}, {2});
}

TEST(Bincount, CountsAndSums) {
  const Tensor x = tensor({1, 3, 1, -1, 7});
  expect_values(bincount(x, 4), {4}, {0, 2, 0, 1});
  const Tensor weights = tensor({0.5, 1.0, 2.0, 4.0, 8.0});
  expect_values(bincount(x, 4, weights), {4}, {0, 2.5, 0, 1});
  expect_values(grad(sum(bincount(x, 4, weights) * tensor({1.0, 2.0, 3.0, 4.0})), weights), {5}, {2, 4, 2, 0, 0});
  expect_error([] { bincount(zeros({2}), 3); }, "bincount: the elements must be integers of rank 1, got tensor<2xf32>");
}

TEST(SegmentSum, AddsRows) {
  const Tensor rows = tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  expect_values(segment_sum(rows, tensor({1, 0, 1}), 3), {3, 2}, {3, 4, 6, 8, 0, 0});
  expect_error([&] { segment_sum(rows, tensor({1, 0}), 3); }, "segment_sum: there are 2 segments for tensor<3x2xf32>");
}

TEST(SegmentMax, AndItsSiblings) {
  const Tensor rows = tensor({{1.0, 2.0}, {3.0, -4.0}, {5.0, 6.0}}), segments = tensor({1, 0, 1});
  expect_values(segment_mean(rows, segments, 3), {3, 2}, {3, -4, 3, 4, 0, 0});
  expect_values(segment_prod(rows, segments, 3), {3, 2}, {3, -4, 5, 12, 1, 1});
  expect_values(segment_max(rows, segments, 3), {3, 2}, {3, -4, 5, 6, -test::inf, -test::inf});
  expect_values(segment_min(rows, segments, 3), {3, 2}, {3, -4, 1, 2, test::inf, test::inf});
  expect_values(segment_mean(tensor({1, 2, 4}), tensor({0, 0, 5}), 2), {2}, {1.5, 0});
  expect_values(segment_max(tensor({1, 2, 4}), tensor({0, 0, 0}), 2), {2}, {4, -2147483648.0});
  expect_error([&] { segment_max(rows, tensor({1, 0}), 3); }, "segment_max: there are 2 segments for tensor<3x2xf32>");
}

TEST(Quantile, InterpolatesAsPyTorch) {
  const Tensor x = tensor({{3.0, 1.0, 2.0, 4.0}, {0.0, 0.0, 10.0, 5.0}}, DType::f64);
  expect_values(quantile(x, 0.5, 1), {2}, {2.5, 2.5});
  expect_values(quantile(x, 0.25, 1, true), {2, 1}, {1.75, 0});
  expect_values(quantile(x, 1.0), {}, {10});
  expect_values(quantile(x, tensor({0.0, 0.1, 1.0}, DType::f64), 1), {3, 2}, {1, 0, 1.3, 0, 4, 10}, 1e-15);
  expect_values(quantile(x, 0.5, 0), {4}, {1.5, 0.5, 6, 4.5});
  expect_values(median(x), {}, {2.5});
  expect_values(quantile(tensor({1.0, nan, 3.0}), 0.5), {}, {nan});
  expect_values(quantile(tensor({1.0, std::numeric_limits<double>::infinity()}), 0.0), {}, {1});
  expect_values(grad(quantile(x, 0.25, 1)[0], x), {2, 4}, {0, 0.25, 0.75, 0, 0, 0, 0, 0});
}

TEST(Cumprod, AlongEveryAxis) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 0.0, 6.0}}, DType::f64);
  expect_values(cumprod(x), {2, 3}, {1, 2, 6, 4, 0, 0});
  expect_values(cumprod(x, 0), {2, 3}, {1, 2, 3, 4, 0, 18});
  EXPECT_EQ(cumprod(tensor({1, 2})).dtype(), DType::i64);
  expect_values(cumprod(zeros({0})), {0}, {});
  const Tensor y = tensor({2.0, 0.0, 5.0, 3.0}, DType::f64);  // by y[1]: 2 + 2 * 5 + 2 * 5 * 3
  expect_values(grad(sum(cumprod(y)), y), {4}, {1, 42, 0, 0});
}

TEST(Selection, InCompiledFunctionsAndBatches) {
  const auto middle = compile([](const Tensor& x) { return vmap([](const Tensor& row) { return median(row); })(x); });
  expect_values(middle(tensor({{3.0, 1.0, 2.0}, {9.0, 8.0, 7.0}})), {2}, {2, 8});
  const Tensor rows = tensor({{1.0, 0.0, 2.0}, {0.0, 0.0, 3.0}});
  const auto found = vmap([](const Tensor& row) { return nonzero(row, 2).indices; })(rows);
  expect_values(found, {2, 2, 1}, {0, 2, 2, -1});
}

}  // namespace
}  // namespace weft
