// Sums of many terms are as accurate down columns as along rows.
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

}  // namespace
}  // namespace weft
