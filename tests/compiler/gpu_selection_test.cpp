// select_and_scatter on a GPU, as elementwise ops: run on the twin; none is left to the host.
#include <cmath>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

#include "arrays.h"
#include "twin_check.h"

namespace weft {
namespace {

using ir::Array;
using Dims = std::vector<std::int64_t>;

struct Selection {
  std::vector<Dim> x, source;
  Dims window, strides, padding;
};

void check(const Selection& s, DType dtype, ir::Direction keeps, const ir::Op& scatter) {
  SCOPED_TRACE(testing::Message() << Type(dtype, s.x) << ' ' << scatter.name);
  const Type types[] = {Type(dtype, s.x), Type(dtype, s.source), Type(dtype, {})};
  const auto graph = ir::make_graph(types, [&](ir::Graph&, auto in) {
    return std::vector{ir::select_and_scatter(in[0], in[1], in[2], {s.window, s.strides, s.padding},
                                              ir::comparison_body(keeps, dtype), ir::reduction_body(scatter, dtype))};
  });
  test::expect_all_on_gpu(*graph);
  std::vector<Array> inputs;
  for (const Type type : types) inputs.push_back(test::random_array(type, inputs.size() + 1));
  if (dtype == DType::f32) {  // ties, and a NaN, with which every comparison is false
    const auto x = inputs[0].data<float>();
    for (float& value : x) value = std::round(value);
    x[x.size() / 2] = std::nanf("");
  }
  test::check_on_twin(*graph, inputs);
}

TEST(GpuSelection, OfFewElements) {
  const Selection selections[] = {
      {{2, 9, 9, 3}, {2, 4, 4, 3}, {1, 3, 3, 1}, {1, 2, 2, 1}, {0, 0, 0, 0, 0, 0, 0, 0}},
      {{2, 8, 9, 3}, {2, 4, 5, 3}, {1, 3, 3, 1}, {1, 2, 2, 1}, {0, 0, 0, 1, 1, 1, 0, 0}},
      {{7, 12}, {7, 4}, {1, 2}, {1, 3}, {0, 0, 0, 0}},  // elements between the windows
      {{3, 6}, {4, 8}, {2, 3}, {1, 1}, {1, 1, 2, 2}},   // windows that overlap
      {{6}, {5}, {1}, {2}, {4, 0}},                     // some windows have nothing but padding
      {{9}, {3}, {3}, {2}, {-1, -1}},                   // elements without a window
  };
  for (const Selection& s : selections)
    for (const DType dtype : {DType::f32, DType::bf16, DType::i32})
      for (const auto keeps : {ir::Direction::GE, ir::Direction::LT}) {
        check(s, dtype, keeps, ir::ops::add);
        check(s, dtype, keeps, ir::ops::maximum);
      }
}

}  // namespace
}  // namespace weft
