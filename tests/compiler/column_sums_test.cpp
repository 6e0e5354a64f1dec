// Sums of many terms are as accurate down columns as along rows.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>

#include "run.h"

namespace weft {
namespace {

using ir::Array;
using ir::Graph;
using ir::Value;

// Each addition of a run of 256 terms, and each of a run to the total, loses at most half of the last place. A single accumulator would lose
// ten times as much.
void expect_accurate_sum(std::initializer_list<Dim> dims, std::initializer_list<std::int64_t> summed, int terms) {
  const Type type(DType::f32, dims);
  const std::vector<std::int64_t> dimensions(summed);
  const auto graph = ir::make_graph(std::vector{type}, [&](Graph&, std::span<const Value> x) {
    return std::vector{ir::reduce_sum(x[0], dimensions)};
  });
  const std::vector inputs{Array::splat(type, 0.1)};
  const double expected = static_cast<double>(0.1f) * terms, bound = (256 + terms / 256.0) * 0x1p-24;
  const std::vector<Array> results = test::run_compiled(*graph, inputs);
  for (const float sum : results[0].data<float>()) EXPECT_NEAR(sum, expected, bound * expected) << type;
}

TEST(ColumnSums, AreAccurate) {
  expect_accurate_sum({16, 20000, 8}, {1}, 20000);        // few columns, which are known to the code
  expect_accurate_sum({16, 20000, 70}, {1}, 20000);       // blocks of columns
  expect_accurate_sum({8, 100, 200, 64}, {1, 2}, 20000);  // two axes
  expect_accurate_sum({8, 5000, 4, 40}, {1, 2}, 20000);   // the last one is shorter than a run
}

// Returns the product of a transposed matrix with the first `columns` columns of another one. Its multiplications and additions may be
// contracted.
std::vector<float> product_with_columns(const Array& x, const Array& y, std::int64_t columns) {
  const std::int64_t rows = x.type().size(0), width = x.type().size(1);
  const Type left(DType::f32, {rows, width}), right(DType::f32, {rows, columns}),
      terms(DType::f32, {rows, width, columns});
  const std::int64_t of_left[] = {0, 1}, of_right[] = {0, 2}, summed[] = {0};
  const auto graph = ir::make_graph(std::vector{left, right}, [&](Graph&, std::span<const Value> v) {
    return std::vector{ir::reduce_sum(
        ir::broadcast_in_dim(v[0], terms, of_left) * ir::broadcast_in_dim(v[1], terms, of_right), summed)};
  });
  std::vector<Array> inputs{x};
  std::span<float> part = inputs.emplace_back(right).data<float>();
  for (std::int64_t r = 0; r < rows; ++r)
    std::ranges::copy(y.data<float>().subspan(r * y.type().size(1), columns), &part[r * columns]);
  const std::vector<Array> results = test::run_compiled(*graph, inputs);
  const auto sums = results[0].data<float>();
  return {sums.begin(), sums.end()};
}

// Kernels for a few columns are straight code, others have blocks of columns, of which the last one may be incomplete.
TEST(ColumnSums, DoNotDependOnTheNumberOfColumns) {
  constexpr std::int64_t width = 5, most = 200;
  const std::vector types{Type(DType::f32, {37, width}), Type(DType::f32, {37, most})};
  const auto nothing = [](Graph&, std::span<const Value>) { return std::vector<Value>(); };
  const std::vector<Array> inputs = test::normal_inputs(*ir::make_graph(types, nothing));
  const std::vector<float> all = product_with_columns(inputs[0], inputs[1], most);
  for (const std::int64_t columns : {24, 32, 33, 63, 64, 65, 100, 128}) {
    const std::vector<float> some = product_with_columns(inputs[0], inputs[1], columns);
    for (std::int64_t w = 0; w < width; ++w)
      EXPECT_TRUE(std::equal(&some[w * columns], &some[w * columns] + columns, &all[w * most])) << columns;
  }
}

}  // namespace
}  // namespace weft
