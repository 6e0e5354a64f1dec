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

// Returns the sums of products, in which multiplication and addition may be contracted, down the first `columns` columns.
std::vector<float> sums_of_products(const Array& x, const Array& y, std::int64_t columns) {
  const std::int64_t rows = x.type().size(0);
  const Type type(DType::f32, {rows, columns});
  const auto graph = ir::make_graph(std::vector{type, type}, [&](Graph&, std::span<const Value> v) {
    return std::vector{ir::reduce_sum(v[0] * v[1], std::vector<std::int64_t>{0})};
  });
  std::vector<Array> inputs;
  for (const Array* whole : {&x, &y}) {
    std::span<float> part = inputs.emplace_back(type).data<float>();
    for (std::int64_t r = 0; r < rows; ++r)
      std::ranges::copy(whole->data<float>().subspan(r * whole->type().size(1), columns), &part[r * columns]);
  }
  const std::vector<Array> results = test::run_compiled(*graph, inputs);
  const auto sums = results[0].data<float>();
  return {sums.begin(), sums.end()};
}

// Kernels for a few columns are straight code, others have blocks of columns, of which the last one may be incomplete.
TEST(ColumnSums, DoNotDependOnTheNumberOfColumns) {
  const Type type(DType::f32, {37, 200});
  const auto nothing = [](Graph&, std::span<const Value>) { return std::vector<Value>(); };
  const std::vector<Array> inputs = test::normal_inputs(*ir::make_graph(std::vector{type, type}, nothing));
  const std::vector<float> all = sums_of_products(inputs[0], inputs[1], 200);
  for (const std::int64_t columns : {3, 8, 10, 24, 32, 33, 63, 64, 65, 100, 128}) {
    const std::vector<float> sums = sums_of_products(inputs[0], inputs[1], columns);
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), all.begin())) << columns;
  }
}

}  // namespace
}  // namespace weft
